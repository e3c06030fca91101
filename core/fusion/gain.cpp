#include "core/fusion/gain.h"

#include "core/support/check.h"

#include <algorithm>
#include <cmath>

namespace loopglass::fusion {

std::string_view name(Gain gain) {
  switch (gain) {
    case Gain::Gain: return "gain";
    case Gain::None: return "no gain";
    case Gain::Loss: return "loss";
    case Gain::Unknown: return "unknown";
  }
  throw InternalError("gain outside its enumeration");
}

Estimated estimated(const CostModel& model, const std::vector<Cost>& kernels) {
  const auto share = model.is_calibrated() ? model.error() : std::nullopt;
  Estimated sum;
  for (const Cost& kernel : kernels) {
    sum.microseconds += kernel.total;
    if (kernel.total <= 0) continue;  // it needs no code
    const auto wrong = kernel.measured ? std::optional(kernel.spread) : share;
    sum.error =
        sum.error && wrong ? std::optional(*sum.error + *wrong * kernel.total) : std::nullopt;
  }
  return sum;
}

Gain judge(const Estimated& before, const Estimated& after) {
  if (!before.error || !after.error) return Gain::Unknown;
  const double gained = before.microseconds - after.microseconds;
  // Sums in another order differ in their last digits.
  const double error = std::max({*before.error, *after.error, 1e-9 * before.microseconds});
  if (std::abs(gained) <= error) return Gain::None;
  return gained > 0 ? Gain::Gain : Gain::Loss;
}

Gain judge(const CostModel& model, const Plan& before, const PlanSummary& summary_before,
           const Plan& after, const PlanSummary& summary_after) {
  const PlanDifference changed = difference(before, after);
  const auto time = [&](const Plan& plan, const PlanSummary& summary,
                        const std::vector<GroupId>& groups) {
    std::vector<Cost> costs;
    for (std::size_t i = 0; i < plan.groups.size(); ++i)
      if (std::ranges::find(groups, plan.groups[i].id) != groups.end())
        costs.push_back(summary.costs[i]);
    return estimated(model, costs);
  };
  return judge(time(before, summary_before, changed.removed),
               time(after, summary_after, changed.added));
}

}  // namespace loopglass::fusion
