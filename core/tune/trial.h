// One script that was measured, and what came of it.
#pragma once

#include "core/measure/request.h"
#include "core/tune/layouts.h"
#include "core/tune/search.h"

#include <optional>
#include <string>
#include <vector>

namespace loopglass::tune {

// By which trials are known to be of one code: the one has the other's time, to the last digit.
struct ToldTime {
  double milliseconds = 0;  // not finite: it failed
  bool same_code = false;   // as another script's, whose time this is
};
bool is_same_code(ToldTime a, ToldTime b);

// What measuring a script gave.
struct Outcome {
  std::optional<runtime::Statistics> time;  // of one run, in the first rounds that it was given
  bool left_early = false;                  // it was clearly slower than the best so far
  bool same_code = false;                   // as another script's, whose time this is
  std::optional<measure::Failure> failure;  // instead of a time
  double compiling_ms = 0, measuring_ms = 0;
  std::string worker;  // of a farm; empty: this machine

  // To compare by: the median of quiet rounds. Infinity: it failed.
  double milliseconds() const;
  ToldTime told() const { return {milliseconds(), same_code}; }
};

struct Trial {
  int number = 0;                   // of the run, from 0, which is the default schedule
  std::optional<Point> point;       // nullopt: it is of no space
  int round = 0;                    // in which it was proposed, from 1; 0: before the first
  std::string how;                  // the search came to it
  std::vector<int> parents;         // numbers of trials
  std::string words;                // where its knobs stand
  std::string script;               // that is kept if it is the best
  std::optional<double> predicted;  // the score that the model gave before it was measured
  Layout layout = Layout::None;     // how it was judged
  Outcome outcome;                  // of `script`
  double judged_ms = 0;             // what search and model were told; infinity: a failure
  double seconds = 0;               // since the run began, when it was known
};

}  // namespace loopglass::tune
