// Tuning a kernel: a search over a space, a cost model beside it, trials that are measured and
// recorded, and in the end the leaders once more in turns, the default schedule among them: what is
// kept is never slower than that.
#pragma once

#include "core/support/stopwatch.h"
#include "core/tune/judge.h"
#include "core/tune/measurer.h"
#include "core/tune/record.h"
#include "core/tune/steering.h"

#include <memory>

namespace loopglass::tune {

struct TuneSettings {
  std::string space = "construct", search = "droplet", cost_model = "trees-stores";
  std::string written_space;  // a script that samples, in the place of `space`
  // How constants are laid out and programs judged (layouts.h); nullopt: as scripts have it.
  std::optional<Layout> layout = {};
  std::size_t trials = 128;  // of each kernel; a network's are shared out
  double seconds = 0;        // 0: as long as it takes
  std::uint64_t seed = 1;
  std::size_t round = 16;  // trials between which search and model learn
  // So many trials without anything faster, and a kernel is done; 0: it goes on.
  std::size_t patience = 0;
};
// UsageInvalid: there is no space, search or model of that name; what there is.
Result<void> check(const TuneSettings& settings);

// How well the model's scores ranked what was then measured.
struct ModelQuality {
  std::size_t trials = 0;     // that had a score
  double correlation = 0;     // of ranks; NaN: not enough of them
  double recall_of_best = 0;  // of the best 5 %
};

class Tuning {
 public:
  // Told of each trial as it is known, and of those that are measured once more at the end.
  using OnTrial = std::function<Result<void>(const Tuning&, const Trial&, bool is_final)>;

  // Measures the default schedule, which is trial 0, and scripts of one's own. NothingToTune where
  // the space is empty; what WorkerPool::diagnose says where not even the default schedule runs;
  // what a script that is not legal here is told; what `on_trial` says.
  static Result<std::unique_ptr<Tuning>> begin(Task task, const TuneSettings& settings,
                                               Measurer& measurer, OnTrial on_trial,
                                               const Cancellation& cancellation = {});
  // What others have measured of the workload under like conditions: search and model learn it.
  void learn(const Records& records, const Conditions& conditions);
  // From here on these are the rules, in the place of those before. What was measured is known to
  // the search all the same. UsageInvalid as SteeredSpace::make says it; then nothing changes.
  Result<void> steer(std::vector<KnobRule> rules);
  const std::vector<KnobRule>& rules() const { return rules_; }
  // Scripts from elsewhere, a person's own say, as trials; those that are not legal here are left,
  // and it says how many are. Cancelled.
  struct Foreign {
    std::string script, how;
  };
  Result<std::size_t> try_scripts(std::span<const Foreign> scripts,
                                  const Cancellation& cancellation = {});
  // The fastest of each workload under like conditions. This one's own has to stand against what is
  // found now; those of others, of another shape of the same layer say, are tried since nobody
  // knows whether they suit. Cancelled.
  Result<std::size_t> transfer(const Records& records, const Conditions& conditions,
                               const Cancellation& cancellation = {});
  // Up to so many trials more. False: the search has nothing left to propose. Cancelled.
  Result<bool> round(std::size_t count, const Cancellation& cancellation = {});
  // Whether the last round had nothing.
  bool is_exhausted() const { return is_exhausted_; }
  // The leaders in turns. Cancelled.
  Result<void> finish(const Cancellation& cancellation = {});
  // What was found is slower where it is to be used: the default schedule is the best after all.
  void withdraw() { best_ = 0; }

  const Task& task() const { return task_; }
  const Space& space() const { return space_; }
  const TuneSettings& settings() const { return settings_; }
  const std::vector<Trial>& trials() const { return trials_; }
  std::size_t measured() const { return measured_; }  // trials that were not refused before
  std::map<std::string, int> failures() const;        // by class
  ModelQuality quality() const;

  const Trial& default_trial() const { return trials_.front(); }
  const Trial& best_trial() const { return trials_[best_]; }
  // In turns with the others where that has been done.
  double default_ms() const;
  double best_ms() const;
  const std::string& default_script() const { return trials_.front().script; }
  // Trials since the last that was the best.
  std::size_t trials_since_best() const { return measured_ - best_at_; }
  bool is_patient() const {
    return settings_.patience == 0 || trials_since_best() < settings_.patience;
  }

 private:
  Tuning(Task task, const TuneSettings& settings, Measurer& measurer, OnTrial on_trial);

  // A script that can be measured: what is run, and what else has to be for its strategy.
  struct Prepared {
    std::optional<Point> point;  // nullopt: it is of no space
    std::string how;
    std::vector<int> parents;  // trials
    std::optional<double> predicted;
    Features features;
    schedule::Scheduled as_it_is, laid_out;
    std::string judged_script, kept_script;
    std::optional<Diagnostic> refusal;
  };
  Prepared prepare(const Proposal& proposal, std::optional<double> predicted);
  void settle_layout(Prepared& prepared) const;
  Result<void> measure(std::vector<Prepared> prepared, Layout layout,
                       const Cancellation& cancellation);
  void tell(std::span<const Observation> observations);
  void train();
  double layout_ms(const loop::Func& func, const Cancellation& cancellation);
  Result<void> add(Trial trial);
  Layout layout_now() const;

  Task task_;
  TuneSettings settings_;
  Measurer& measurer_;
  OnTrial on_trial_;
  Space space_;
  std::unique_ptr<Judge> judge_;
  std::vector<KnobRule> rules_;
  std::unique_ptr<SteeredSpace> steered_;  // that the search knows
  std::unique_ptr<Search> search_;
  int round_ = 0;
  std::vector<Trial> trials_;
  std::map<Point, int> numbers_;             // of the trials of points
  std::vector<Observation> known_;           // all that a search was told
  std::map<std::string, Outcome> outcomes_;  // by script
  std::map<std::string, double> layout_times_;
  std::vector<Example> examples_;
  std::vector<double> example_ms_;  // that they were judged by
  std::size_t learned_ = 0;         // examples that the model has seen
  std::size_t measured_ = 0, best_ = 0, best_at_ = 0;
  bool is_exhausted_ = false;
  std::map<int, double> in_turns_;  // by trial
  Stopwatch begun_;
};

// The line that says so among a run's records, once its tuning is withdrawn.
Record withdrawal_of(const Tuning& tuning, const Conditions& conditions, const std::string& run);

// A trial as it is recorded.
Record record_of(const Tuning& tuning, const Trial& trial, bool is_final,
                 const Conditions& conditions, const std::string& run);

}  // namespace loopglass::tune
