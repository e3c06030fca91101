// How fast trials of one sketch are, as shares from the slowest (0) to the fastest (1) on a
// logarithmic scale: what the charts of knobs colour by.
#pragma once

#include "views/tuning/shown_run.h"

namespace loopglass::views {

class KnobSpeeds {
 public:
  KnobSpeeds() = default;
  // Trials of the sketch up to a round.
  KnobSpeeds(const ShownRun& run, int sketch, int until_round);

  const std::vector<int>& places() const {
    return places_;
  }  // in the run; also of those that failed
  bool empty() const { return places_.empty(); }
  // Nothing: it failed. Of what was left early by the time that it took at least.
  std::optional<double> share(const ShownTrial& trial) const;
  // The place of the faster of two, either of which may be -1 (none): what ran to its end before
  // what was left early, and that before what failed.
  static int better(const ShownRun& run, int one, int other);
  double fastest_ms() const { return fastest_; }
  double slowest_ms() const { return slowest_; }  // or slower: the ninth of ten

 private:
  std::vector<int> places_;
  double fastest_ = 0, slowest_ = 0;
};

// The sketch that the best trial is of; 0 where it is of none.
int sketch_of_best(const ShownRun& run);

enum class KnobMark : std::uint8_t { None, Pinned, Forbidden };
KnobMark mark_of(const ShownRun& run, const std::string& knob, const std::string& value);

}  // namespace loopglass::views
