#include "views/tuning/tuning_work.h"

#include "core/compiler_version.h"
#include "core/loop/text.h"
#include "core/tuned_network.h"
#include "views/tuning/kept_network.h"

#include <fmt/format.h>

#include <chrono>

namespace loopglass::views {

void TuningMailbox::send(std::shared_ptr<const ShownRun> run, std::function<void(ShownRun&)> tell) {
  const std::lock_guard lock(mutex_);
  news_.push_back({std::move(run), std::move(tell)});
}

double TuningMailbox::wait_while_paused(const Cancellation& cancellation) {
  constexpr std::chrono::milliseconds slice(50);
  const Stopwatch begun;
  std::unique_lock lock(mutex_);
  while (is_paused_ && !cancellation.requested()) goes_on_.wait_for(lock, slice);
  return begun.milliseconds();
}

auto TuningMailbox::take_wishes(const std::string& workload) -> Wishes {
  const std::lock_guard lock(mutex_);
  return std::exchange(wishes_[workload], {});
}

auto TuningMailbox::take_news() -> std::vector<News> {
  const std::lock_guard lock(mutex_);
  return std::exchange(news_, {});
}

void TuningMailbox::pause(bool is_paused) {
  {
    const std::lock_guard lock(mutex_);
    is_paused_ = is_paused;
  }
  goes_on_.notify_all();
}

bool TuningMailbox::is_paused() {
  const std::lock_guard lock(mutex_);
  return is_paused_;
}

void TuningMailbox::wish_rules(const std::string& workload, std::vector<tune::KnobRule> rules) {
  const std::lock_guard lock(mutex_);
  wishes_[workload].rules = std::move(rules);
}

void TuningMailbox::wish_script(const std::string& workload, std::string script) {
  const std::lock_guard lock(mutex_);
  wishes_[workload].scripts.push_back(std::move(script));
}

std::filesystem::path records_of(const std::filesystem::path& folder, const std::string& workload) {
  return folder / (workload + ".jsonl");
}

namespace {

using tune::Tuning;

// The files that trials are kept in. What cannot be kept is told once and tuned all the same.
class Keeper {
 public:
  Keeper(const TuningOrder& order, std::string run) : order_(order), run_(std::move(run)) {}

  const std::string& run() const { return run_; }
  // A sentence where it fails, the first time.
  std::optional<std::string> keep(const Tuning& tuning, const tune::Trial& trial, bool is_final) {
    return keep(tuning, [&](const tune::Conditions& conditions) {
      return record_of(tuning, trial, is_final, conditions, run_);
    });
  }
  std::optional<std::string> keep_withdrawal(const Tuning& tuning) {
    return keep(tuning, [&](const tune::Conditions& conditions) {
      return withdrawal_of(tuning, conditions, run_);
    });
  }

 private:
  std::optional<std::string> keep(
      const Tuning& tuning, const std::function<tune::Record(const tune::Conditions&)>& record) {
    if (order_.records.empty() || has_failed_) return std::nullopt;
    const tune::Task& task = tuning.task();
    const std::string workload = tune::workload_of(task);
    const auto kept = [&]() -> Result<void> {
      std::unique_ptr<tune::RecordFile>& file = files_[workload];
      if (!file) {
        std::error_code ignored;
        std::filesystem::create_directories(order_.records, ignored);
        file = TRY(tune::RecordFile::open(records_of(order_.records, workload)));
        TRY_VOID(file->append_workload(workload, task.kernel, task.nest));
      }
      return file->append(to_line(record(tune::conditions_of(task, compiler_version))));
    }();
    if (kept) return std::nullopt;
    has_failed_ = true;
    return fmt::format("trials are not kept: {}", kept.error().what);
  }

  const TuningOrder& order_;
  std::string run_;
  std::map<std::string, std::unique_ptr<tune::RecordFile>> files_;
  bool has_failed_ = false;
};

std::shared_ptr<const ShownRun> run_of(const Tuning& tuning, const TuningOrder& order,
                                       const std::string& id) {
  auto run = std::make_shared<ShownRun>();
  const tune::Task& task = tuning.task();
  run->kernel = task.kernel;
  run->workload = tune::workload_of(task);
  run->id = id;
  run->together = order.together;
  run->settings = order.settings;
  run->threads = task.threads;
  run->times = task.times;
  run->flops = tune::flops_of(task);
  run->nest = loop::to_text(task.nest);
  run->sketches = std::make_shared<const std::vector<ShownSketch>>(shown_sketches(tuning.space()));
  run->rules = tuning.rules();
  return run;
}

// What the window asked for since the last round. Its scripts are trials.
Result<void> grant(const TuningMailbox::Wishes& wishes, Tuning& tuning,
                   const std::function<void(std::string problem)>& say,
                   const Cancellation& cancellation) {
  if (wishes.rules)
    if (const auto steered = tuning.steer(*wishes.rules); !steered)
      say(steered.error().what +
          (steered.error().where.empty() ? "" : ": " + steered.error().where));
  for (const std::string& script : wishes.scripts) {
    const auto trace = schedule::parse_script(script);
    const auto legal =
        trace ? schedule::settled(tuning.task().nest, *trace) : std::unexpected(trace.error());
    if (!legal) {
      say("your script is not legal here: " + legal.error().what);
      continue;
    }
    const Tuning::Foreign own{script, "a script of one's own"};
    TRY(tuning.try_scripts(std::span(&own, 1), cancellation));
  }
  return {};
}

}  // namespace

Result<bool> tune_in_background(const TuningOrder& order, TuningMailbox& mailbox,
                                const JobContext& context) {
  tune::LocalMeasurer measurer(order.program);
  Keeper keeper(order, tune::new_run());
  std::map<std::string, std::shared_ptr<const ShownRun>> runs;
  const auto run_for = [&](const Tuning& tuning) {
    auto& run = runs[tune::workload_of(tuning.task())];
    if (!run) run = run_of(tuning, order, keeper.run());
    return run;
  };
  const Stopwatch begun;
  double held = 0;  // milliseconds
  const tune::NetworkTuning* network = nullptr;
  tune::NetworkTuning::Watch watch;
  watch.on_begin = [&](const tune::Task& task, std::size_t number, std::size_t all) {
    if (all > 1)
      context.progress(fmt::format("the default schedule of {}", task.kernel),
                       static_cast<double>(number - 1) / static_cast<double>(all));
  };
  watch.on_trial = [&](const Tuning& tuning, const tune::Trial& trial,
                       bool is_final) -> Result<void> {
    const auto problem = keeper.keep(tuning, trial, is_final);
    const int best = tuning.best_trial().number;
    mailbox.send(run_for(tuning), [trial = shown(trial), is_final, best, problem](ShownRun& run) {
      if (is_final) run.take_turn(static_cast<std::size_t>(trial.number), trial.ms);
      else run.trials.push_back(trial);
      run.best = std::clamp(best, 0, static_cast<int>(run.trials.size()) - 1);
      if (problem) run.problem = *problem;
    });
    if (network && network->trials() > 0)
      context.progress(
          "", static_cast<double>(network->measured()) / static_cast<double>(network->trials()));
    if (!is_final) held += mailbox.wait_while_paused(context.cancellation);
    return {};
  };
  watch.on_round = [&](Tuning& tuning, const std::string& why) -> Result<void> {
    const auto run = run_for(tuning);
    std::string problem;
    TRY_VOID(grant(
        mailbox.take_wishes(run->workload), tuning,
        [&](std::string said) { problem = std::move(said); }, context.cancellation));
    // Kernels of a network share the time.
    const double seconds = order.tasks.size() == 1 ? (begun.milliseconds() - held) / 1000 : 0;
    mailbox.send(run, [why, problem, rules = tuning.rules(), seconds](ShownRun& shown) {
      shown.why = why;
      shown.rules = rules;
      shown.seconds = seconds;
      if (!problem.empty()) shown.problem = problem;
    });
    return {};
  };
  watch.on_finish = [&](const Tuning& tuning) {
    mailbox.send(run_for(tuning), [](ShownRun& run) { run.state = RunState::Finishing; });
  };
  const auto keep = [&](std::optional<NetworkTimes> times) -> std::string {
    if (!order.network || order.records.empty()) return {};
    const auto kept = [&]() -> Result<void> {
      const auto graph = TRY(order.network->graph());
      return keep_network(network_file(order.records, graph->content_hash()),
                          {keeper.run(), order.tasks.front().threads, std::move(times)});
    }();
    return kept ? std::string() : "what came of the network is not kept: " + kept.error().what;
  };
  std::string not_kept = keep(std::nullopt);
  tune::NetworkTuning tuning(order.settings, measurer, watch);
  TRY_VOID(tuning.begin(order.tasks, nullptr, {}, context.cancellation));
  network = &tuning;
  if (tuning.tunings().empty())
    return fail(Code::NothingToTune,
                fmt::format("the space '{}' has nothing to choose here: spaces are of sums whose "
                            "loops may be tiled, 'construct' also of rows of vectors",
                            order.settings.space));
  TRY_VOID(tuning.run(context.cancellation));
  if (order.network && tuning.has_found()) {
    context.progress("the network without and with what was found", 1);
    measure::WorkerPool workers(order.program);
    const auto on_withdrawal = [&](const Tuning& each) -> Result<void> {
      mailbox.send(run_for(each), [problem = keeper.keep_withdrawal(each)](ShownRun& run) {
        run.is_withdrawn = true;
        run.best = 0;
        if (problem) run.problem = *problem;
      });
      return {};
    };
    const NetworkTimes times =
        TRY(keep_what_pays(tuning, *order.network, order.tasks.front().threads, workers,
                           on_withdrawal, context.cancellation));
    mailbox.send(run_for(*tuning.tunings().front()),
                 [times](ShownRun& run) { run.network = times; });
    not_kept = keep(times);
  }
  if (!not_kept.empty())
    mailbox.send(run_for(*tuning.tunings().front()),
                 [not_kept](ShownRun& run) { run.problem = not_kept; });
  auto load = tuning.load();
  // Beside the kernel, another schedule is compiled.
  if (load && !is_busy(*load, order.tasks.front().threads + 1)) load.reset();
  for (const auto& each : tuning.tunings())
    mailbox.send(run_for(*each), [best = each->best_trial().number,
                                  is_exhausted = each->is_exhausted(), load](ShownRun& run) {
      run.is_exhausted = is_exhausted;
      run.load = load;
      run.best = std::clamp(best, 0, std::max(0, static_cast<int>(run.trials.size()) - 1));
      run.state = RunState::Done;
    });
  return true;
}

}  // namespace loopglass::views
