// loopglassc conformance: runs ONNX backend-test folders and counts. Each case has a process of its
// own, so one that crashes or hangs is one failed case.
#include "app/common/conformance.h"
#include "app/common/isolate.h"
#include "app/common/numbers.h"
#include "app/loopglassc/declare.h"
#include "passes/pipeline.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace loopglass::app {

namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string folder, filter;
  int jobs = runtime::hardware_threads(), limit_seconds = 300;
  bool interpreted = false, json = false, verbose = false;
};

Result<std::vector<Tensor>> run_compiled(onnx::Model model, std::span<const Tensor> inputs) {
  Session session(passes::toolchain(), session_options());
  session.open(std::move(model), "case");
  runtime::ThreadPool pool(1);
  return TRY(session.executor())->run(inputs, pool);
}

Json to_json(const CaseResult& result) {
  return {{"name", result.name},
          {"outcome", name(result.outcome)},
          {"message", result.message},
          {"inputs_bound", result.inputs_bound}};
}

struct Tally {
  std::map<std::string, int> outcomes;
  int bound = 0;
  Json cases = Json::array();
};

void report(const Json& row, const Options& options, Tally& tally) {
  const auto outcome = row["outcome"].get<std::string>();
  ++tally.outcomes[outcome];
  tally.bound += row["inputs_bound"].empty() ? 0 : 1;
  tally.cases.push_back(row);
  if (options.json || (outcome == name(Outcome::Passed) && !options.verbose)) return;
  fmt::print("{:<12}{}{}{}\n", outcome, row["name"].get<std::string>(),
             outcome == name(Outcome::Passed) ? "" : ": ", row["message"].get<std::string>());
}

Result<Exit> run_all(const Options& options) {
  std::vector<std::filesystem::path> folders = TRY(find_cases(options.folder));
  std::erase_if(folders, [&](const auto& folder) {
    return case_name(folder).find(options.filter) == std::string::npos;
  });
  std::vector<std::function<std::string()>> work;
  for (const auto& folder : folders)
    work.push_back([&, folder] {
      return to_json(run_case(folder, options.interpreted ? interpret_model : run_compiled))
          .dump(-1, ' ', false, Json::error_handler_t::replace);
    });

  Tally tally;
  TRY_VOID(run_isolated(
      work, options.jobs, std::chrono::seconds(options.limit_seconds),
      [&](std::size_t number, Answer answer) {
        if (const auto* text = std::get_if<std::string>(&answer))
          return report(Json::parse(*text), options, tally);
        const std::string& why = std::get<Lost>(answer).why;
        report(to_json({case_name(folders[number]), Outcome::Failed, why, {}}), options, tally);
      }));
  const auto count = [&](Outcome outcome) { return tally.outcomes[std::string(name(outcome))]; };
  if (options.json) {
    print_json(Json{{"passed", count(Outcome::Passed)},
                    {"failed", count(Outcome::Failed)},
                    {"unsupported", count(Outcome::Unsupported)},
                    {"inputs_bound", tally.bound},
                    {"cases", tally.cases}});
  } else {
    fmt::print("inputs were bound as constants in {} of {} cases\n", tally.bound, folders.size());
    fmt::print("{} passed, {} failed, {} unsupported\n", count(Outcome::Passed),
               count(Outcome::Failed), count(Outcome::Unsupported));
  }
  return count(Outcome::Failed) == 0 ? Exit::Good : Exit::Bad;
}

}  // namespace

void add_conformance(Command app, Action& chosen) {
  const auto [command, options] =
      declare<Options>(app, chosen, "conformance",
                       "runs ONNX backend-test folders: DIR itself, or its subfolders", run_all);
  command
      .add_option("folder", options->folder,
                  "a folder with model.onnx and test_data_set_*, or one of such folders")
      .required()
      .type_name("DIR");
  command.add_option("--filter", options->filter, "only cases whose name contains this")
      .type_name("TEXT");
  command.add_option("--jobs", options->jobs, "cases at once")
      .check(whole_number(1, 1024))
      .capture_default_str();
  command.add_option("--limit", options->limit_seconds, "seconds a case may take")
      .check(whole_number(1, 86400))
      .capture_default_str();
  command.add_flag("--interpreted,!--compiled", options->interpreted,
                   "by the reference interpreter, operator by operator; default: compiled");
  command.add_flag("--verbose", options->verbose, "also lists the cases that pass");
}

}  // namespace loopglass::app
