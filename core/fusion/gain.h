// Whether one set of kernels is estimated to be quicker than another: by more than the estimates
// are wrong. A gain below that is none.
#pragma once

#include "core/fusion/compare.h"

namespace loopglass::fusion {

enum class Gain : std::uint8_t {
  Gain,     // beyond the error
  None,     // within it
  Loss,     // beyond it, the other way
  Unknown,  // the machine is not calibrated, so nobody knows the error
};
std::string_view name(Gain gain);  // "no gain"

// The time of kernels that run one after another.
struct Estimated {
  double microseconds = 0;
  std::optional<double> error = 0.0;  // microseconds either way; nothing: not known
};
Estimated estimated(const CostModel& model, const std::vector<Cost>& kernels);

// Of what is alike in both nothing should be in either.
Gain judge(const Estimated& before, const Estimated& after);
// Of one plan against another of the same graph, each with its summary by this model.
Gain judge(const CostModel& model, const Plan& before, const PlanSummary& summary_before,
           const Plan& after, const PlanSummary& summary_after);

}  // namespace loopglass::fusion
