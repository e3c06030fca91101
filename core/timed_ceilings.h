// The roofs over kernels that have been timed where they stand in their network: by counting alone,
// without the experiments of network_roofline.h.
#pragma once

#include "core/roofline/ceilings.h"
#include "core/session.h"

#include <optional>
#include <vector>

namespace loopglass {

struct TimedCeilings {
  double share_of_peak = 0;  // of its useful FLOPs over those that the machine has in that time
  std::vector<roofline::Ceiling> ceilings;  // highest first

  // Which roof it is nearest to; null: none is known.
  const roofline::Ceiling* nearest() const { return ceilings.empty() ? nullptr : &ceilings[0]; }
};

// In the order of the report's kernels; nullopt: of those that are not run. `roofs`: of as many
// threads as the report's. Kernels that compute the same by the same schedule are counted once.
// What Session::kernel says.
Result<std::vector<std::optional<TimedCeilings>>> timed_ceilings(
    Session& session, const runtime::BenchmarkReport& report, const roofline::Roofs& roofs,
    const Cancellation& cancellation = {});

}  // namespace loopglass
