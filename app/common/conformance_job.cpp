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

}  // namespace

measure::Frame conformance_request(const std::filesystem::path& folder, bool interpreted) {
  // A folder's name need not be UTF-8, as texts are.
  return {
      0, std::string(interpreted ? interpreted_case_job : compiled_case_job), {}, folder.string()};
}

measure::Frame run_conformance_case(const measure::Frame& request) {
  const bool interpreted = request.job == interpreted_case_job;
  const CaseResult result = run_case(request.bytes, interpreted ? interpret_model : run_compiled);
  Json json{{"name", result.name},
            {"outcome", static_cast<int>(result.outcome)},
            {"message", result.message},
            {"inputs_bound", result.inputs_bound}};
  if (result.refusal)
    json["refusal"] = {{"code", static_cast<int>(result.refusal->code)},
                       {"what", result.refusal->what},
                       {"where", result.refusal->where},
                       {"hint", result.refusal->hint}};
  return {0, request.job, json.dump(-1, ' ', false, Json::error_handler_t::replace), {}};
}

CaseResult conformance_result(const measure::Frame& answer) {
  const Json json = Json::parse(answer.text);
  CaseResult result{json.at("name").get<std::string>(),
                    static_cast<Outcome>(json.at("outcome").get<int>()),
                    json.at("message").get<std::string>(),
                    json.at("inputs_bound").get<std::vector<std::string>>()};
  if (const auto refusal = json.find("refusal"); refusal != json.end())
    result.refusal = Diagnostic{
        static_cast<Code>(refusal->at("code").get<int>()), refusal->at("what").get<std::string>(),
        refusal->at("where").get<std::string>(), refusal->at("hint").get<std::string>()};
  return result;
}

}  // namespace loopglass::app
