// Tuning the kernels of a network, or one: trials are shared out by task_scheduler.h.
#pragma once

#include "core/support/machine_load.h"
#include "core/tune/task_scheduler.h"
#include "core/tune/tuning.h"

namespace loopglass::tune {

class NetworkTuning {
 public:
  struct Watch {
    // Before a kernel's default schedule is measured: which, of how many.
    std::function<void(const Task&, std::size_t number, std::size_t all)> on_begin;
    Tuning::OnTrial on_trial;
    // Before a kernel's round: which, and why it; it may be steered then. What it says ends it all.
    std::function<Result<void>(Tuning&, const std::string& why)> on_round;
    std::function<void(const Tuning&)> on_finish;  // before its leaders run once more
  };

  NetworkTuning(TuneSettings settings, Measurer& measurer, Watch watch)
      : settings_(std::move(settings)), measurer_(measurer), watch_(std::move(watch)) {}

  // Measures the default schedule of each, of those that compute most first, for half of the time
  // that there is. Kernels with nothing to choose, or left over, are named. What Tuning::begin says
  // but for that. `history`: what has been measured before; null: nothing.
  Result<void> begin(std::vector<Task> tasks, const Records* history, const Conditions& conditions,
                     const Cancellation& cancellation = {});
  // Until trials, seconds or proposals are used up; then the leaders of each kernel that found
  // something run in turns. Cancelled: what was measured stays.
  Result<void> run(const Cancellation& cancellation = {});

  const std::vector<std::unique_ptr<Tuning>>& tunings() const { return tunings_; }
  struct Left {
    enum class Why : std::uint8_t { NothingToChoose, NoTime };
    Task task;
    Why why;
  };
  const std::vector<Left>& left() const { return left_; }
  std::size_t measured() const;
  // All trials were made, and the fastest ran in turns.
  bool is_over() const { return is_over_; }
  // Whether any kernel's best is another schedule than the default one.
  bool has_found() const;
  double seconds() const { return begun_.milliseconds() / 1000; }
  // What others have had of this machine since then.
  std::optional<MachineLoad> load() const { return load_.read(); }
  // What there will be of trials, over all kernels; 0: seconds decide.
  std::size_t trials() const { return settings_.trials * tunings_.size(); }

 private:
  bool has_time() const;
  // What running leaders in turns will take, roughly.
  double finishing_seconds() const;

  TuneSettings settings_;
  Measurer& measurer_;
  Watch watch_;
  std::vector<std::unique_ptr<Tuning>> tunings_;
  std::vector<TaskProgress> progress_;
  std::vector<Left> left_;
  Stopwatch begun_;
  LoadMeter load_;
  bool is_over_ = false;
};

}  // namespace loopglass::tune
