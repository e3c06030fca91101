// What keeps one kernel of a network from going faster.
#pragma once

#include "core/fusion/plan.h"
#include "core/roofline/pipeline_comparison.h"
#include "core/script/trace.h"

namespace loopglass {

// A kernel on its way through the roofs, from the nest as it is written to the one that its
// schedule makes of it.
struct TrailStep {
  std::int64_t step = 0;  // of the schedule; 0: before the first
  // That led here, and its line of the script: "split", "yo, yi = split(y, [-1, 8])". Before the
  // first: empty, and words that say so.
  std::string primitive, line;
  roofline::Verdict verdict;
  friend bool operator==(const TrailStep&, const TrailStep&) = default;
};
struct ScheduleTrail {
  std::vector<TrailStep> steps;
  std::vector<std::string> left_out;  // "vectorize(x): why there is no verdict on it"
  friend bool operator==(const ScheduleTrail&, const ScheduleTrail&) = default;
};

struct KernelVerdict {
  fusion::GroupId group;
  std::string kernel;
  double network_ms = 0;  // that it takes in the network, between the others; 0: not timed there
  roofline::Verdict verdict;
  // Of a kernel that is judged by itself: to list its machine code takes longer than to time it.
  std::optional<roofline::PipelineComparison> pipeline = {};
  std::string schedule = {};  // a digest of that which was judged
  // Where somebody asked for it.
  std::optional<ScheduleTrail> trail = {};

  // In the network where that was timed, else by itself.
  double milliseconds() const { return network_ms > 0 ? network_ms : verdict.milliseconds; }
  // Why, and where the network makes it another question.
  std::string sentence() const;
  friend bool operator==(const KernelVerdict&, const KernelVerdict&) = default;
};

// By which schedules are told apart: 16 digits.
std::string digest_of(const schedule::Trace& schedule);

}  // namespace loopglass
