// A run of the tuner as the window shows it: what was asked, its space's knobs, and every trial.
// It comes trial by trial from a run that works (tuning_work.h), or from records.
#pragma once

#include "core/tune/tuning.h"
#include "core/tuned_network.h"

#include <QString>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace loopglass::views {

struct ShownTrial {
  int number = 0;                     // 0: the default schedule
  int round = 0;                      // in which it was proposed; 0: before the first
  std::optional<tune::Point> point;   // of the space; nullopt: of none, or of one that is not known
  double ms = 0;                      // NaN: it failed
  std::optional<double> in_turns_ms;  // measured once more at the end
  std::optional<double> predicted;    // the model's score before
  bool left_early = false;
  bool same_code = false;   // as an earlier trial's, whose time this is
  bool is_refused = false;  // it is not legal, and was not measured
  std::vector<int> parents;
  std::string how, words, script;
  std::string failure, reason;  // its class, and a sentence

  tune::ToldTime told() const { return {ms, same_code}; }
  double best_known_ms() const { return in_turns_ms.value_or(ms); }
};
ShownTrial shown(const tune::Trial& trial);

struct ShownSketch {
  std::string name;
  std::vector<tune::Knob> knobs;
};

enum class RunState : std::uint8_t { Working, Paused, Finishing, Done, Stopped, Failed };

struct ShownRun {
  std::string kernel, workload;
  std::string nest;  // that it tunes, as text; empty: it comes from records
  std::string id;    // of its records
  int together = 0;  // runs of one number were begun as one: the kernels of a network
  tune::TuneSettings settings;
  int threads = 1, times = 1;  // the network computes it so often
  double flops = 0;
  RunState state = RunState::Working;
  std::shared_ptr<const std::vector<ShownSketch>> sketches;  // null: not known
  std::vector<tune::KnobRule> rules;                         // that it keeps to now
  std::vector<ShownTrial> trials;
  int best = 0;               // a place among them
  bool is_withdrawn = false;  // what it found is slower in the network: the default schedule stays
  // Of the network whose kernels were tuned together, on one of these.
  std::optional<NetworkTimes> network;
  double seconds = 0;
  std::optional<MachineLoad> load;  // of the machine meanwhile, where others were in the way
  bool is_exhausted = false;        // the search had nothing left to propose
  std::string why;                  // it had the last round, among the kernels of a network
  std::string problem;

  // The trial at that place ran once more in turns, and so did those of the same code.
  void take_turn(std::size_t place, double ms);
  // Trials that were measured, the default schedule left out.
  std::size_t measured() const;
  int rounds() const;  // of the last trial
  // Whether one ran faster than the default schedule, in turns with it.
  bool is_any_faster() const;
  // Of the model's scores with the speeds that were then measured. NaN: there were too few.
  double rank_correlation() const;
  const ShownTrial* best_trial() const {
    return trials.empty() ? nullptr : &trials[static_cast<std::size_t>(best)];
  }
  bool is_over() const { return state >= RunState::Done; }
  // The fastest of those up to a round, by its place: once the leaders have run in turns, and all
  // rounds are asked for, the fastest of these. -1: none.
  int best_until(int round) const;
};

QString title_of(const ShownRun& run);  // "construct, droplet, trees-stores"

// The sketches of the space that the settings name.
std::vector<ShownSketch> shown_sketches(const tune::Space& space);

// Runs of the task's workload on its machine among the records, the oldest first; of many the last.
// Their points are known where the space still has them.
std::vector<ShownRun> recorded_runs(const tune::Records& records, const tune::Task& task,
                                    std::size_t most);

}  // namespace loopglass::views
