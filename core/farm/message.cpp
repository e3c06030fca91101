#include "core/farm/message.h"

#include "core/loop/text.h"
#include "core/machine/machine_json.h"
#include "core/support/hash.h"
#include "core/tune/statistics_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace loopglass::farm {

namespace {

using Json = nlohmann::ordered_json;
using measure::FailureKind;

constexpr int version = 1;

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<Code> code_numbered(int number) {
  switch (number) {
#define CODE(name, number, title) \
  case number: return Code::name;
    LOOPGLASS_DIAGNOSTIC_CODES(CODE)
#undef CODE
  }
  return std::nullopt;
}

// A whole number of this range; throws where it is another, or none.
int whole(const Json& json, const char* key, int least, int most) {
  const Json& number = json.at(key);
  if (!number.is_number_integer())
    throw std::invalid_argument(fmt::format("{} is no whole number", key));
  const auto value = number.get<std::int64_t>();
  if (value < least || value > most)
    throw std::invalid_argument(fmt::format("{} is out of range", key));
  return static_cast<int>(value);
}
constexpr int large = 1'000'000'000;

// A line, and not a long one.
std::string in_a_line(std::string text) {
  constexpr std::size_t longest = 200;
  if (text.size() > longest) text.resize(longest);
  std::ranges::replace_if(
      text, [](char c) { return c >= 0 && c < ' '; }, ' ');
  return text;
}

std::string shortened(const std::string& text) {
  constexpr std::size_t longest = 2'000;
  return text.size() <= longest ? text : text.substr(0, longest) + "...";
}

Json json_of(const measure::Failure& failure) {
  const Diagnostic& diagnostic = failure.diagnostic;
  return {{"kind", measure::name(failure.kind)},
          {"code", static_cast<int>(diagnostic.code)},
          {"what", shortened(diagnostic.what)},
          {"where", shortened(diagnostic.where)},
          {"hint", diagnostic.hint},
          {"signal", failure.signal}};
}

measure::Failure failure_in(const Json& json) {
  const auto kind = measure::failure_kind_named(json.at("kind").get<std::string>());
  const auto code = code_numbered(json.at("code").get<int>());
  if (!kind || !code) throw std::invalid_argument("a failure of no kind");
  return {*kind,
          {*code, json.at("what").get<std::string>(), json.at("where").get<std::string>(),
           json.at("hint").get<std::string>()},
          json.at("signal").get<int>()};
}

Json json_of(const tune::Outcome& outcome) {
  Json json{{"left_early", outcome.left_early},
            {"same_code", outcome.same_code},
            {"compiling_ms", outcome.compiling_ms},
            {"measuring_ms", outcome.measuring_ms}};
  if (outcome.time) tune::add_statistics(json, *outcome.time);
  if (outcome.failure) json["failure"] = json_of(*outcome.failure);
  return json;
}

tune::Outcome outcome_in(const Json& json) {
  tune::Outcome outcome;
  json.at("left_early").get_to(outcome.left_early);
  json.at("same_code").get_to(outcome.same_code);
  json.at("compiling_ms").get_to(outcome.compiling_ms);
  json.at("measuring_ms").get_to(outcome.measuring_ms);
  outcome.time = tune::statistics_in(json);
  if (json.contains("failure")) outcome.failure = failure_in(json.at("failure"));
  if (outcome.time.has_value() == outcome.failure.has_value())
    throw std::invalid_argument("neither a time nor a failure, or both");
  return outcome;
}

// What `read` makes of the text; it throws where something is missing or of another kind.
template <class T, class Read>
Result<T> parsed(std::string_view text, std::string_view kind, const Read& read) {
  try {
    const Json json = Json::parse(text);
    if (json.at("loopglass_farm").get<int>() != version)
      return fail(Code::UsageInvalid, fmt::format("the {} is of another version", kind), {},
                  "have the same Loopglass on all machines of the farm");
    return read(json);
  } catch (const std::exception& problem) {
    return fail(Code::UsageInvalid, fmt::format("that is no {}: {}", kind, problem.what()));
  }
}

}  // namespace

std::string id_of(const Job& job) {
  Hasher hasher;
  hasher.text(job.nest).text(job.reference).value(job.threads).value(job.turns);
  for (const auto& [symbol, extent] : job.symbols) hasher.text(symbol).value(extent);
  for (const std::string& script : job.scripts) hasher.value(script.size()).text(script);
  return fmt::format("{:016x}", hasher.digest());
}

Job job_of(const tune::Task& task, const std::string& reference) {
  return {task.kernel, loop::to_text(task.nest), task.symbols, task.threads, reference, {}};
}

bool JobResult::is_answer_for_all() const {
  return std::ranges::none_of(outcomes, [](const tune::Outcome& outcome) {
    return outcome.failure && outcome.failure->kind == FailureKind::Lost;
  });
}

std::string Capability::digest() const {
  Hasher hasher;
  for (const std::string* word : {&processor, &target, &compiler})
    hasher.value(word->size()).text(*word);
  return fmt::format("{:016x}", hasher.value(cores).digest());
}

Capability capability_of(const Machine& machine, std::string compiler) {
  return {machine.processor, machine.name, std::move(compiler), machine.cores};
}

std::string to_text(const Job& job) {
  return text_of({{"loopglass_farm", version},
                  {"kernel", job.kernel},
                  {"nest", job.nest},
                  {"symbols", job.symbols},
                  {"threads", job.threads},
                  {"reference", job.reference},
                  {"scripts", job.scripts},
                  {"attempt", job.attempt},
                  {"turns", job.turns},
                  {"best_ms", job.best_ms}});
}

std::string to_text(const JobResult& result) {
  Json outcomes = Json::array();
  for (const tune::Outcome& outcome : result.outcomes) outcomes.push_back(json_of(outcome));
  return text_of({{"loopglass_farm", version},
                  {"id", result.id},
                  {"worker", result.worker},
                  {"attempt", result.attempt},
                  {"outcomes", std::move(outcomes)}});
}

std::string to_text(const WorkerNotice& notice) {
  return text_of({{"loopglass_farm", version},
                  {"name", notice.name},
                  {"processor", notice.capability.processor},
                  {"target", notice.capability.target},
                  {"compiler", notice.capability.compiler},
                  {"cores", notice.capability.cores},
                  {"machine", to_json(notice.machine)},
                  {"doing", notice.doing},
                  {"done", notice.done}});
}

Result<Job> job_in(std::string_view text) {
  return parsed<Job>(text, "job", [](const Json& json) -> Result<Job> {
    Job job;
    json.at("kernel").get_to(job.kernel);
    json.at("nest").get_to(job.nest);
    json.at("symbols").get_to(job.symbols);
    job.threads = whole(json, "threads", 1, 4096);
    json.at("reference").get_to(job.reference);
    json.at("scripts").get_to(job.scripts);
    job.attempt = whole(json, "attempt", 0, large);
    job.turns = whole(json, "turns", 0, most_turns);
    json.at("best_ms").get_to(job.best_ms);
    if (job.scripts.size() > most_scripts || !(job.best_ms >= 0))
      throw std::invalid_argument("more than can be meant, or less");
    return job;
  });
}

Result<JobResult> job_result_in(std::string_view text) {
  return parsed<JobResult>(text, "result", [](const Json& json) -> Result<JobResult> {
    JobResult result;
    json.at("id").get_to(result.id);
    json.at("worker").get_to(result.worker);
    result.attempt = whole(json, "attempt", 0, large);
    for (const Json& outcome : json.at("outcomes")) {
      result.outcomes.push_back(outcome_in(outcome));
      result.outcomes.back().worker = result.worker;
    }
    return result;
  });
}

Result<WorkerNotice> worker_notice_in(std::string_view text) {
  return parsed<WorkerNotice>(
      text, "worker's notice", [](const Json& json) -> Result<WorkerNotice> {
        WorkerNotice notice;
        notice.name = in_a_line(json.at("name").get<std::string>());
        notice.capability.processor = in_a_line(json.at("processor").get<std::string>());
        notice.capability.target = in_a_line(json.at("target").get<std::string>());
        json.at("compiler").get_to(notice.capability.compiler);
        notice.capability.cores = whole(json, "cores", 1, 1 << 20);
        notice.machine = TRY(machine_from_json(json.at("machine").get<std::string>()));
        notice.doing = in_a_line(json.at("doing").get<std::string>());
        notice.done = static_cast<std::uint64_t>(whole(json, "done", 0, large));
        return notice;
      });
}

}  // namespace loopglass::farm
