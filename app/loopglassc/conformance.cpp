// loopglassc conformance: runs ONNX backend-test folders and counts. Workers run the cases, so one
// that crashes or hangs is one failed case.
#include "app/common/conformance_job.h"
#include "app/common/numbers.h"
#include "app/common/status_line.h"
#include "app/common/terminal.h"
#include "app/common/worker.h"
#include "app/loopglassc/declare.h"
#include "core/support/concurrently.h"
#include "core/support/file_refusal.h"

#include <algorithm>
#include <mutex>
#include <nlohmann/json.hpp>

namespace loopglass::app {

namespace {

using Json = nlohmann::ordered_json;

struct ConformanceOptions {
  std::string folder, filter;
  int jobs = runtime::hardware_threads(), limit_seconds = 300;
  std::optional<int> max_unsupported;
  bool interpreted = false, json = false, verbose = false;
};

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

bool is_printed(const CaseResult& result, const ConformanceOptions& options) {
  return !options.json && (result.outcome != Outcome::Passed || options.verbose);
}

Style style_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::Passed: return Style::Good;
    case Outcome::Failed: return Style::Bad;
    case Outcome::Unsupported: return Style::Caution;
  }
  __builtin_unreachable();
}

void report(const CaseResult& result, const ConformanceOptions& options, Tally& tally) {
  ++tally.outcomes[std::string(name(result.outcome))];
  tally.bound += result.inputs_bound.empty() ? 0 : 1;
  tally.cases.push_back(to_json(result));
  if (!is_printed(result, options)) return;
  {
    const Styled styled(style_of(result.outcome));
    fmt::print("{:<12}", name(result.outcome));
  }
  fmt::print("{}{}{}\n", result.name, result.outcome == Outcome::Passed ? "" : ": ",
             result.message);
}

Diagnostic why_not_started(const measure::Loss& loss) {
  const bool out_of_files = is_out_of_files(loss.reason);
  return {out_of_files ? Code::OpenFilesExhausted : Code::SystemRefused,
          loss.what,
          {},
          out_of_files ? more_files_hint() : "cases run in processes of their own"};
}

// Runs all cases, some at once, and reports them in their order.
class Suite {
 public:
  Suite(const std::vector<std::filesystem::path>& folders, const ConformanceOptions& options,
        Tally& tally)
      : folders_(folders),
        options_(options),
        tally_(tally),
        workers_(own_worker(), options.jobs),
        results_(folders.size()) {
    for (std::size_t number = folders.size(); number-- > 0;) left_.push_back(number);
  }

  // SystemRefused: not even one worker can be had.
  Result<void> run() {
    const auto most = std::min(static_cast<std::size_t>(options_.jobs), folders_.size());
    run_on_threads(static_cast<int>(most), [this] {
      for (auto number = begin(); number; number = next())
        if (!finish(*number, ask(*number))) return;
    });
    if (refusal_) return std::unexpected(*refusal_);
    return {};
  }

 private:
  using Asked = std::expected<measure::Frame, measure::Loss>;

  Asked ask(std::size_t number) {
    return workers_.ask(conformance_request(folders_[number], options_.interpreted),
                        std::chrono::seconds(options_.limit_seconds));
  }

  std::optional<std::size_t> begin() {
    const std::lock_guard lock(mutex_);
    ++asking_;
    return take();
  }
  std::optional<std::size_t> next() {
    const std::lock_guard lock(mutex_);
    return take();
  }
  // The first that is left; else this thread asks no more.
  std::optional<std::size_t> take() {
    if (left_.empty() || refusal_) {
      --asking_;
      return std::nullopt;
    }
    const std::size_t number = left_.back();
    left_.pop_back();
    return number;
  }

  // False: this thread gets no worker, and leaves the case to those that have one.
  bool finish(std::size_t number, const Asked& answer) {
    const std::lock_guard lock(mutex_);
    if (!answer && answer.error().kind == measure::LossKind::NotStarted) {
      left_.push_back(number);
      if (asking_ > 1) {
        --asking_;
        return false;
      }
      // The last one takes over the worker of one that has ended, where there is any.
      if (workers_.waiting().empty()) refusal_ = why_not_started(answer.error());
      return true;
    }
    ++finished_;
    status_.update(
        fmt::format("{} of {} cases, {}", finished_, folders_.size(), case_name(folders_[number])),
        static_cast<double>(finished_) / static_cast<double>(folders_.size()));
    results_[number] =
        answer ? conformance_result(*answer)
               : CaseResult{case_name(folders_[number]), Outcome::Failed, answer.error().what, {}};
    // Where a worker may not do what every case takes, no case is to blame.
    if (results_[number]->refusal) {
      refusal_ = results_[number]->refusal;
      return true;
    }
    for (; reported_ < results_.size() && results_[reported_]; ++reported_) {
      const CaseResult& result = *results_[reported_];
      if (is_printed(result, options_)) status_.end();
      report(result, options_, tally_);
    }
    return true;
  }

  const std::vector<std::filesystem::path>& folders_;
  const ConformanceOptions& options_;
  Tally& tally_;
  measure::WorkerPool workers_;
  std::mutex mutex_;
  std::vector<std::size_t> left_;  // the next one last
  std::vector<std::optional<CaseResult>> results_;
  std::size_t finished_ = 0, reported_ = 0;
  StatusLine status_;
  int asking_ = 0;  // threads
  std::optional<Diagnostic> refusal_;
};

Result<Exit> run_all(const ConformanceOptions& options) {
  TRY(own_program());
  if (options.json && options.verbose)
    return fail(Code::UsageInvalid, "--json lists all cases", "--verbose", "leave one of them out");
  std::vector<std::filesystem::path> folders = TRY(find_cases(options.folder));
  std::erase_if(folders, [&](const auto& folder) {
    return case_name(folder).find(options.filter) == std::string::npos;
  });
  if (folders.empty())
    fmt::print(stderr, "note: no case is called like '{}', which --filter asks for\n",
               options.filter);
  Tally tally;
  TRY_VOID(Suite(folders, options, tally).run());
  const auto count = [&](Outcome outcome) { return tally.outcomes[std::string(name(outcome))]; };
  if (options.json) {
    print_json(Schema::Conformance, Json{{"passed", count(Outcome::Passed)},
                                         {"failed", count(Outcome::Failed)},
                                         {"unsupported", count(Outcome::Unsupported)},
                                         {"inputs_bound", tally.bound},
                                         {"cases", tally.cases}});
  } else {
    fmt::print("inputs were bound as constants in {} of {} cases\n", tally.bound, folders.size());
    fmt::print("{} passed, {} failed, {} unsupported\n", count(Outcome::Passed),
               count(Outcome::Failed), count(Outcome::Unsupported));
  }
  const int passed = count(Outcome::Passed), unsupported = count(Outcome::Unsupported);
  if (passed == 0) fmt::print(stderr, "note: no case passed, which is no success\n");
  const bool exceeds = options.max_unsupported && unsupported > *options.max_unsupported;
  if (exceeds)
    fmt::print(stderr, "exceeded: {} unsupported, {} more than --max-unsupported {}\n", unsupported,
               unsupported - *options.max_unsupported, *options.max_unsupported);
  return count(Outcome::Failed) == 0 && passed > 0 && !exceeds ? Exit::Good : Exit::Bad;
}

}  // namespace

void add_conformance(Command app, Action& chosen) {
  const auto [command, options] = declare<ConformanceOptions>(
      app, chosen, "conformance", "runs ONNX backend-test folders: DIR itself, or its subfolders",
      run_all);
  command
      .add_option("folder", options->folder,
                  "a folder with model.onnx and test_data_set_*, or one of such folders")
      .required()
      .type_name("DIR");
  command
      .add_option("--filter", options->filter,
                  "only cases whose name contains this; none ends with 1")
      .type_name("TEXT");
  command.add_option("--jobs", options->jobs, "cases at once")
      .check(whole_number(1, 1024))
      .capture_default_str();
  command.add_option("--limit", options->limit_seconds, "seconds a case may take")
      .check(whole_number(1, 86400))
      .capture_default_str();
  command
      .add_option("--max-unsupported", options->max_unsupported,
                  "ends with 1 where more cases are not supported, and says by how many")
      .check(whole_number(0, 1'000'000))
      .type_name("N");
  command.add_flag("--interpreted,!--compiled", options->interpreted,
                   "by the reference interpreter, operator by operator; default: compiled");
  command.add_flag("--verbose", options->verbose, "also lists the cases that pass");
}

}  // namespace loopglass::app
