#include "app/common/conformance_job.h"

#include "app/common/model_options.h"
#include "core/runtime/thread_pool.h"
#include "passes/pipeline.h"

#include <nlohmann/json.hpp>

namespace loopglass::app {

namespace {

using Json = nlohmann::ordered_json;

Result<std::vector<Tensor>> run_compiled(onnx::Model model, std::span<const Tensor> inputs) {
  Session session(passes::toolchain(), session_options());
  session.open(std::move(model), "case");
  runtime::ThreadPool pool(1);
  return TRY(session.executor())->run(inputs, pool);
}

measure::Frame frame_of(const Json& json) {
  return {0,
          std::string(conformance_job_name),
          json.dump(-1, ' ', false, Json::error_handler_t::replace),
          {}};
}

}  // namespace

measure::Frame conformance_request(const std::filesystem::path& folder, bool interpreted) {
  // A folder's name need not be UTF-8, as JSON has to be.
  measure::Frame frame = frame_of({{"interpreted", interpreted}});
  frame.bytes = folder.string();
  return frame;
}

measure::Frame run_conformance_case(const measure::Frame& request) {
  const bool interpreted = Json::parse(request.text).at("interpreted").get<bool>();
  const CaseResult result = run_case(request.bytes, interpreted ? interpret_model : run_compiled);
  return frame_of({{"name", result.name},
                   {"outcome", static_cast<int>(result.outcome)},
                   {"message", result.message},
                   {"inputs_bound", result.inputs_bound}});
}

CaseResult conformance_result(const measure::Frame& answer) {
  const Json json = Json::parse(answer.text);
  return {json.at("name").get<std::string>(), static_cast<Outcome>(json.at("outcome").get<int>()),
          json.at("message").get<std::string>(),
          json.at("inputs_bound").get<std::vector<std::string>>()};
}

}  // namespace loopglass::app
