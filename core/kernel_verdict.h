// What keeps one kernel of a network from going faster.
#pragma once

#include "core/fusion/plan.h"
#include "core/roofline/pipeline_comparison.h"
#include "core/schedule/primitive.h"

namespace loopglass {

struct KernelVerdict {
  fusion::GroupId group;
  std::string kernel;
  double network_ms = 0;  // that it takes in the network, between the others; 0: not timed there
  roofline::Verdict verdict;
  // Of a kernel that is judged by itself: to list its machine code takes longer than to time it.
  std::optional<roofline::PipelineComparison> pipeline = {};
  std::string schedule = {};  // a digest of that which was judged

  // In the network where that was timed, else by itself.
  double milliseconds() const { return network_ms > 0 ? network_ms : verdict.milliseconds; }
  // Why, and where the network makes it another question.
  std::string sentence() const;
  friend bool operator==(const KernelVerdict&, const KernelVerdict&) = default;
};

// By which schedules are told apart: 16 digits.
std::string digest_of(const schedule::Trace& schedule);

}  // namespace loopglass
