#include "core/tune/record.h"

#include "core/loop/text.h"
#include "core/tune/statistics_json.h"
#include "core/tune/winner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

namespace loopglass::tune {

namespace {

using Json = nlohmann::ordered_json;

constexpr int version = 1;

std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Record record_in(const Json& json) {
  Record record;
  json.at("workload").get_to(record.workload);
  json.at("kernel").get_to(record.kernel);
  const Json& conditions = json.at("conditions");
  conditions.at("processor").get_to(record.conditions.processor);
  conditions.at("target").get_to(record.conditions.target);
  conditions.at("compiler").get_to(record.conditions.compiler);
  conditions.at("threads").get_to(record.conditions.threads);
  if (record.conditions.threads < 1) throw std::invalid_argument("threads that are none");
  conditions.at("symbols").get_to(record.conditions.symbols);
  json.at("run").get_to(record.run);
  json.at("space").get_to(record.space);
  json.at("search").get_to(record.search);
  json.at("cost_model").get_to(record.cost_model);
  json.at("layout").get_to(record.layout);
  json.at("seed").get_to(record.seed);
  const Json& trial = json.at("trial");
  if (!trial.is_number_integer() || trial.get<std::int64_t>() < 0 ||
      trial.get<std::int64_t>() > std::numeric_limits<int>::max())
    throw std::invalid_argument("a trial that is none");
  trial.get_to(record.trial);
  json.at("final").get_to(record.is_final);
  json.at("how").get_to(record.how);
  json.at("knobs").get_to(record.words);
  json.at("parents").get_to(record.parents);
  json.at("script").get_to(record.script);
  if (json.contains("predicted")) record.predicted = json.at("predicted").get<double>();
  record.time = statistics_in(json);
  if (record.time) {
    json.at("left_early").get_to(record.left_early);
    record.same_code = json.value("same_code", false);
  } else {
    json.at("failure").get_to(record.failure);
    json.at("reason").get_to(record.reason);
  }
  json.at("flops").get_to(record.flops);
  json.at("seconds").get_to(record.seconds);
  record.worker = json.value("worker", "");
  record.round = json.value("round", 0);
  record.is_withdrawn = json.value("withdrawn", false);
  return record;
}

// The lines of a file by what a run writes once: the place of each among the records.
using Key = std::tuple<std::string, std::string, int, bool, bool>;
using Seen = std::map<Key, std::size_t>;

// A run writes of a trial once what it took; of two lines that differ nobody knows which is right.
std::optional<std::string> take(Record record, Records& records, Seen& seen) {
  const auto [known, is_new] = seen.try_emplace(
      {record.run, record.workload, record.trial, record.is_final, record.is_withdrawn},
      records.records.size());
  if (!is_new && to_line(records.records[known->second]) != to_line(record))
    return fmt::format("it says of trial {} of '{}' what an earlier line says otherwise",
                       record.trial, record.kernel);
  records.records.push_back(std::move(record));
  return std::nullopt;
}

// What is wrong with the line; nothing where it is right.
std::optional<std::string> take_line(std::string_view line, Records& records, Seen& seen) {
  try {
    const Json json = Json::parse(line);
    if (!json.is_object() || !json.contains("loopglass_record")) return "it is no record";
    if (const int written = json.at("loopglass_record").get<int>(); written > version)
      return fmt::format("version {} is newer than this Loopglass, which reads {}", written,
                         version);
    if (json.contains("nest"))
      records.nests.emplace(json.at("workload").get<std::string>(),
                            json.at("nest").get<std::string>());
    else return take(record_in(json), records, seen);
    return std::nullopt;
  } catch (const Json::parse_error&) {
    return "it is cut short, or no JSON";
  } catch (const std::exception&) {
    return "it lacks something, or has it of another kind";
  }
}

}  // namespace

bool Conditions::is_like(const Conditions& other) const {
  return processor == other.processor && target == other.target && threads == other.threads &&
         symbols == other.symbols;
}

Conditions conditions_of(const Task& task, std::string_view compiler) {
  return {task.machine.processor, task.machine.name, std::string(compiler), task.threads,
          task.symbols};
}

std::string new_run() {
  return fmt::format("{:016x}", static_cast<std::uint64_t>(
                                    std::chrono::system_clock::now().time_since_epoch().count()));
}

std::string to_line(const Record& record) {
  const Conditions& conditions = record.conditions;
  Json json{{"loopglass_record", version},
            {"workload", record.workload},
            {"kernel", record.kernel},
            {"conditions",
             {{"processor", conditions.processor},
              {"target", conditions.target},
              {"compiler", conditions.compiler},
              {"threads", conditions.threads},
              {"symbols", conditions.symbols}}},
            {"run", record.run},
            {"space", record.space},
            {"search", record.search},
            {"cost_model", record.cost_model},
            {"layout", record.layout},
            {"seed", record.seed},
            {"trial", record.trial},
            {"final", record.is_final},
            {"how", record.how},
            {"parents", record.parents},
            {"knobs", record.words}};
  if (record.predicted && std::isfinite(*record.predicted)) json["predicted"] = *record.predicted;
  if (record.time) {
    add_statistics(json, *record.time);
    json["left_early"] = record.left_early;
    if (record.same_code) json["same_code"] = true;
  } else {
    json["failure"] = record.failure;
    json["reason"] = record.reason;
  }
  json["flops"] = record.flops;
  json["seconds"] = record.seconds;
  if (record.round > 0) json["round"] = record.round;
  if (!record.worker.empty()) json["worker"] = record.worker;
  if (record.is_withdrawn) json["withdrawn"] = true;
  json["script"] = record.script;
  return line_of(json);
}

std::string workload_line(const std::string& workload, const std::string& kernel,
                          const loop::Func& nest) {
  return line_of({{"loopglass_record", version},
                  {"workload", workload},
                  {"kernel", kernel},
                  {"nest", loop::to_text(nest)}});
}

void Records::add(Records more) {
  nests.merge(more.nests);
  records.insert(records.end(), std::make_move_iterator(more.records.begin()),
                 std::make_move_iterator(more.records.end()));
  passed_over.insert(passed_over.end(), more.passed_over.begin(), more.passed_over.end());
}

namespace {

// Or the beginning of it: all that a writer left who was killed at once.
bool is_of_ours(std::string_view text) {
  constexpr std::string_view beginning = "{\"loopglass_record\"";
  return beginning.starts_with(text.substr(0, beginning.size()));
}

}  // namespace

Result<Records> parse_records(std::string_view text) {
  Records records;
  Seen seen;
  int number = 1;
  for (std::size_t begin = 0; begin < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    if (const auto problem = take_line(line, records, seen))
      records.passed_over.push_back(fmt::format("line {}: {}", number, *problem));
  }
  if (records.records.empty() && records.nests.empty() && !records.passed_over.empty() &&
      !is_of_ours(text))
    return fail(Code::RecordsUnreadable,
                fmt::format("no line of this is a record ({})", records.passed_over.front()), {},
                "name a file that loopglassc tune has written");
  return records;
}

std::string to_text(const Records& records) {
  std::string text;
  for (const auto& [workload, nest] : records.nests) {
    const auto of_it = std::ranges::find(records.records, workload, &Record::workload);
    text += line_of({{"loopglass_record", version},
                     {"workload", workload},
                     {"kernel", of_it == records.records.end() ? "" : of_it->kernel},
                     {"nest", nest}});
  }
  std::set<std::string> seen;
  for (const Record& record : records.records) {
    std::string line = to_line(record);
    if (seen.insert(line).second) text += line;
  }
  return text;
}

const Record* best_of(const Records& records, const std::string& workload,
                      const Conditions& conditions) {
  std::set<std::string_view> withdrawn;  // runs
  for (const Record& record : records.records)
    if (record.is_withdrawn && record.workload == workload) withdrawn.insert(record.run);
  std::set<std::string_view> ended;  // runs whose fastest have run in turns
  for (const Record& record : records.records)
    if (record.is_final && record.workload == workload) ended.insert(record.run);
  std::vector<const Record*> final, single;
  std::vector<FinalTime> times, single_times;
  for (const Record& record : records.records) {
    if (record.workload != workload || !record.time || record.left_early ||
        !record.conditions.is_like(conditions) || record.is_withdrawn ||
        (record.trial > 0 && withdrawn.contains(record.run)))
      continue;
    if (!record.is_final && ended.contains(record.run)) continue;
    (record.is_final ? times : single_times).push_back({record.trial, record.time->median_ms});
    (record.is_final ? final : single).push_back(&record);
  }
  const auto place = winner(times), alone = winner(single_times);
  if (!alone) return place ? final[*place] : nullptr;
  const Record* const fastest = single[*alone];
  // What stands in turns with its rivals is not beaten by a lucky moment of a run that was ended
  // before its fastest ran so.
  constexpr double more_than_luck = 0.9;
  return place && fastest->time->median_ms > more_than_luck * final[*place]->time->median_ms
             ? final[*place]
             : fastest;
}

Result<kernel::Schedules::Own> schedule_of(const Records& records, const Record& record) {
  const auto text = records.nests.find(record.workload);
  if (text == records.nests.end())
    return fail(Code::RecordsUnreadable,
                fmt::format("the loop nest of '{}' is not among the records", record.workload),
                record.kernel);
  const loop::Func nest = TRY(loop::parse(text->second));
  TRY_VOID(loop::verify(nest));
  loop::NamelessForm form = loop::nameless_form(nest);
  if (kernel::workload_of(form) != record.workload)
    return fail(
        Code::RecordsUnreadable,
        fmt::format("the loop nest of '{}' is another one than its name says", record.workload),
        record.kernel);
  schedule::Trace trace = TRY(schedule::parse_script(record.script));
  TRY(schedule::replay(nest, trace));
  return kernel::Schedules::Own{std::move(form), std::move(trace)};
}

}  // namespace loopglass::tune
