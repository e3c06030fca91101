// Requests and answers as frames: what is short as JSON, tensors and object code as bytes behind
// it, one after the other in the order in which they are named here.
#include "core/loop/text.h"
#include "core/machine/machine_json.h"
#include "core/measure/request.h"
#include "core/support/hash.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

namespace loopglass::measure {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json json_of(const std::vector<Tensor>& tensors, std::string& bytes) {
  Json list = Json::array();
  for (const Tensor& tensor : tensors) {
    list.push_back({{"type", name(tensor.data_type())}, {"shape", tensor.shape()}});
    bytes.append(reinterpret_cast<const char*>(tensor.data()), tensor.bytes());
  }
  return list;
}

// Takes the bytes behind the text from the front.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : bytes_(bytes) {}

  Result<std::string_view> take(std::uint64_t size) {
    if (size > bytes_.size())
      return fail(Code::UsageInvalid, "there are fewer bytes than the text says");
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }
  Result<std::vector<Tensor>> tensors(const Json& list) {
    std::vector<Tensor> tensors;
    for (const Json& entry : list) {
      const auto type = data_type_named(entry.at("type").get<std::string>());
      const auto shape = entry.at("shape").get<Shape>();
      if (!type || std::any_of(shape.begin(), shape.end(), [](auto extent) { return extent < 0; }))
        return fail(Code::UsageInvalid, "this is no tensor's type");
      // Nobody makes us allocate what has not come.
      const auto count = checked_element_count(shape);
      if (!count || *count > static_cast<std::int64_t>(bytes_.size()))
        return fail(Code::UsageInvalid, "there are fewer bytes than the text says");
      tensors.push_back(TRY(Tensor::allocate({*type, shape})));
      const std::string_view content = TRY(take(tensors.back().bytes()));
      std::copy(content.begin(), content.end(), reinterpret_cast<char*>(tensors.back().data()));
    }
    return tensors;
  }
  bool empty() const { return bytes_.empty(); }

 private:
  std::string_view bytes_;
};

// The members of a struct by name, for writing and for reading.
template <class SomeRequest, class Visit>
void for_each_number(SomeRequest& request, const Visit& visit) {
  visit("seed", request.seed);
  visit("want_outputs", request.want_outputs);
  visit("want_spills", request.want_spills);
  visit("threads", request.threads);
  visit("warm_up", request.warm_up);
  visit("rounds_at_least", request.rounds_at_least);
  visit("rounds_at_most", request.rounds_at_most);
  visit("budget_milliseconds", request.budget_milliseconds);
  visit("best_milliseconds", request.best_milliseconds);
  visit("only_compile", request.only_compile);
  visit("sampling_milliseconds", request.sampling_milliseconds);
}
template <class SomeMeasured, class Visit>
void for_each_result(SomeMeasured& measured, const Visit& visit) {
  visit("median_ms", measured.time.median_ms);
  visit("lower_quartile_ms", measured.time.lower_quartile_ms);
  visit("upper_quartile_ms", measured.time.upper_quartile_ms);
  visit("minimum_ms", measured.time.minimum_ms);
  visit("rounds", measured.time.rounds);
  visit("runs_a_round", measured.runs_a_round);
  visit("threads", measured.threads);
  visit("digest", measured.digest);
  visit("left_early", measured.left_early);
  visit("nest", measured.nest);
  visit("spill_stores", measured.spills.stores);
  visit("spill_loads", measured.spills.loads);
  visit("preparing_ms", measured.spent.preparing);
  visit("compiling_ms", measured.spent.compiling);
  visit("inputs_ms", measured.spent.inputs);
  visit("running_ms", measured.spent.running);
  visit("checking_ms", measured.spent.checking);
}

auto writer(Json& json) {
  return [&json](const char* key, const auto& value) { json[key] = value; };
}
auto reader(const Json& json) {
  return [&json](const char* key, auto& value) { json.at(key).get_to(value); };
}

Json json_of(const Diagnostic& diagnostic) {
  return {{"code", static_cast<int>(diagnostic.code)},
          {"what", diagnostic.what},
          {"where", diagnostic.where},
          {"hint", diagnostic.hint}};
}
Diagnostic diagnostic_in(const Json& json) {
  return {static_cast<Code>(json.at("code").get<int>()), json.at("what").get<std::string>(),
          json.at("where").get<std::string>(), json.at("hint").get<std::string>()};
}

void put_code(const std::optional<codegen::ObjectCode>& code, Json& json, std::string& bytes) {
  if (!code) return;
  json["code"] = {{"bytes", code->bytes.size()}, {"workspace", code->workspace.text()}};
  bytes += code->bytes;
}

Result<std::optional<codegen::ObjectCode>> code_in(const Json& json, Bytes& bytes) {
  if (!json.contains("code")) return std::nullopt;
  const auto workspace =
      codegen::WorkspaceSize::parse(json.at("code").at("workspace").get<std::string>());
  if (!workspace) return fail(Code::UsageInvalid, "what a workspace takes is no expression");
  codegen::ObjectCode code{{}, *workspace};
  code.bytes = TRY(bytes.take(json.at("code").at("bytes").get<std::uint64_t>()));
  return code;
}

Result<Request> parse_request(const Json& json, Bytes bytes) {
  Request request;
  json.at("nest").get_to(request.nest);
  if (json.contains("script")) request.script = json.at("script").get<std::string>();
  request.machine = TRY(machine_from_json(json.at("machine").dump()));
  json.at("symbols").get_to(request.symbols);
  for_each_number(request, reader(json));
  request.time_limit = std::chrono::milliseconds(json.at("time_limit_ms").get<std::int64_t>());
  request.code = TRY(code_in(json, bytes));
  request.inputs = TRY(bytes.tensors(json.at("inputs")));
  if (json.contains("expected")) {
    const Json& expected = json.at("expected");
    request.expected =
        Expected{TRY(bytes.tensors(expected.at("outputs"))), expected.at("absolute").get<double>(),
                 expected.at("relative").get<double>()};
  }
  if (json.contains("reference")) {
    const Json& reference = json.at("reference");
    request.reference = Reference{
        reference.at("nest").get<std::string>(), reference.at("script").get<std::string>(),
        reference.at("absolute").get<double>(), reference.at("relative").get<double>()};
  }
  if (!bytes.empty()) return fail(Code::UsageInvalid, "there are more bytes than the text says");
  if (request.threads < 1 || request.warm_up < 0 || request.rounds_at_least < 1 ||
      request.rounds_at_most < request.rounds_at_least)
    return fail(Code::UsageInvalid, "a kernel is timed on a thread and in a round at the least");
  // Not by a negation: what is not a number is refused, too.
  if (const double longest = 60'000; !(request.sampling_milliseconds <= longest) ||
                                     (request.sampling_milliseconds > 0 && request.threads > 1))
    return fail(Code::UsageInvalid, "a kernel is looked at for a minute at most, on one thread");
  return request;
}

Result<Answer> parse_answer(const Json& json, Bytes bytes) {
  if (json.contains("failure"))
    return Answer(std::unexpected(Failure{static_cast<FailureKind>(json.at("failure").get<int>()),
                                          diagnostic_in(json.at("diagnostic"))}));
  Measured measured;
  for_each_result(measured, reader(json));
  measured.code = TRY(code_in(json, bytes));
  measured.outputs = TRY(bytes.tensors(json.at("outputs")));
  for (const Json& sample : json.at("samples"))
    measured.samples.push_back(
        {sample.at(0).get<std::int64_t>(), sample.at(1).get<std::int64_t>()});
  return measured;
}

// What parsers of ours do not understand is a diagnostic, whatever it was.
template <class T>
Result<T> parsed(const Frame& frame, Result<T> (*parse)(const Json&, Bytes)) {
  try {
    return parse(Json::parse(frame.text), Bytes(frame.bytes));
  } catch (const Json::exception& problem) {
    return fail(Code::UsageInvalid, fmt::format("this is not understood: {}", problem.what()));
  }
}

}  // namespace

std::string signature(const loop::Func& func) {
  loop::Func empty = func;
  empty.body = loop::sequence({});
  return loop::to_text(empty);
}

bool clearly_slower(double minimum_ms, int rounds, double best_ms) {
  constexpr double several_slices = 20;
  if (best_ms <= 0) return false;
  if (rounds >= rounds_to_tell) return minimum_ms > 1.15 * best_ms;
  return minimum_ms > 2 * best_ms + several_slices;
}

std::uint64_t digest_of(std::span<const Tensor> outputs) {
  Hasher hasher;
  for (const Tensor& output : outputs) hasher.value(output.content_hash());
  return hasher.digest();
}

std::string_view name(FailureKind kind) {
  switch (kind) {
    case FailureKind::Illegal: return "illegal";
    case FailureKind::NotCompiled: return "not compiled";
    case FailureKind::Wrong: return "wrong result";
    case FailureKind::Crashed: return "crashed";
    case FailureKind::TimedOut: return "timed out";
    case FailureKind::Lost: return "lost";
    case FailureKind::Refused: return "refused";
    case FailureKind::Cancelled: return "cancelled";
  }
  return "unknown";
}

std::optional<FailureKind> failure_kind_named(std::string_view name) {
  for (int k = 0; k <= static_cast<int>(FailureKind::Cancelled); ++k)
    if (const auto kind = static_cast<FailureKind>(k); measure::name(kind) == name) return kind;
  return std::nullopt;
}

Frame to_frame(const Request& request) {
  Frame frame{0, std::string(kernel_job_name), {}, {}};
  Json json{{"nest", request.nest}, {"symbols", request.symbols}};
  if (request.script) json["script"] = *request.script;
  json["machine"] = Json::parse(to_json(request.machine));
  for_each_number(request, writer(json));
  json["time_limit_ms"] = request.time_limit.count();
  put_code(request.code, json, frame.bytes);
  json["inputs"] = json_of(request.inputs, frame.bytes);
  if (request.expected)
    json["expected"] = {{"outputs", json_of(request.expected->outputs, frame.bytes)},
                        {"absolute", request.expected->absolute},
                        {"relative", request.expected->relative}};
  if (request.reference)
    json["reference"] = {{"nest", request.reference->nest},
                         {"script", request.reference->script},
                         {"absolute", request.reference->absolute},
                         {"relative", request.reference->relative}};
  frame.text = text_of(json);
  return frame;
}

Frame to_frame(const Answer& answer) {
  Frame frame{0, std::string(kernel_job_name), {}, {}};
  Json json;
  if (answer) {
    for_each_result(*answer, writer(json));
    put_code(answer->code, json, frame.bytes);
    json["outputs"] = json_of(answer->outputs, frame.bytes);
    json["samples"] = Json::array();
    for (const Sample& sample : answer->samples)
      json["samples"].push_back({sample.offset, sample.count});
  } else {
    json = {{"failure", static_cast<int>(answer.error().kind)},
            {"diagnostic", json_of(answer.error().diagnostic)}};
  }
  frame.text = text_of(json);
  return frame;
}

Result<Request> request_from(const Frame& frame) { return parsed(frame, &parse_request); }
Result<Answer> answer_from(const Frame& frame) { return parsed(frame, &parse_answer); }

}  // namespace loopglass::measure
