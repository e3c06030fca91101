// What the kernels of a plan cost that is not the document's own: measured in a session of its own.
#pragma once

#include "core/fusion/compare.h"
#include "core/runtime/benchmark.h"
#include "core/runtime/memory_plan.h"
#include "views/graph/beside_place.h"
#include "views/graph/heat.h"

#include <optional>

namespace loopglass::views {

// Of one plan, by the ids of its groups.
struct PlaceCosts {
  std::shared_ptr<const runtime::BenchmarkReport> timings;
  std::optional<fusion::PlanSummary> estimates;  // by a calibrated cost model
  std::shared_ptr<const runtime::MemoryPlan> memory;
};

// What is asked: another plan, or times on other threads, are other costs.
struct CostsAsked {
  std::shared_ptr<const fusion::Plan> plan;
  bool memory = false;  // else times
  int threads = 0;      // of times
  friend bool operator==(const CostsAsked&, const CostsAsked&) = default;
};

// For a job. UsageInvalid where the plan, whose search may end by the clock, came out another; what
// compiling and running say.
using FindCosts = std::function<Result<PlaceCosts>(const JobContext&)>;
FindCosts find_costs(const Document& document, const BesideSource& source, const BesidePlace& place,
                     const CostsAsked& asked);

}  // namespace loopglass::views
