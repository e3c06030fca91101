// The search of dynamic programming over fusion plans (Gao et al., Computer Science 52(5), 2025).
//
// A state is an ideal: a set of units that have been executed, together with everything they need.
// From an ideal one goes on by any legal block whose other needs are met; the cheapest way to an
// ideal is all that has to be kept:
//
//   f({}) = 0,   f(I + B) = min over I, B of f(I) + cost(B)
//
// The blocks on the way to the full set, in their order, are a plan that cannot have cycles. Ideals
// are visited by their number of units. Pruned is what cannot beat the best plan known, and, under
// a beam, all but the most promising ideals of a size. What a block costs, and why it is refused,
// is found out once for all searches of a graph (BlockMemo).
#pragma once

#include "core/fusion/cost_model.h"
#include "passes/fusion/units.h"

#include <limits>
#include <unordered_map>

namespace loopglass::passes {

struct IdealSearchOptions {
  std::size_t beam = 0;              // ideals kept of each size; 0: all of them
  std::size_t begins_per_ideal = 0;  // units that a step from it begins with; 0: all of them
  // Tried from each, for every unit to begin with; 0: all of them.
  std::size_t blocks_per_ideal = 0;
  // Only the units of this range are planned, as though those before it had been executed.
  std::size_t first = 0, last = std::numeric_limits<std::size_t>::max();
  double upper_bound = std::numeric_limits<double>::infinity();  // the cost of a plan that is known
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  bool record_events = false;
  double whole = 0;  // microseconds that are 100 % in what is told, where there are no times
};

struct IdealSearchResult {
  // Of units, in an order in which they can run; empty: no plan below the bound.
  std::vector<std::vector<std::size_t>> blocks;
  double cost = std::numeric_limits<double>::infinity();
  bool complete = true;  // nothing was left out that might have been better
  bool out_of_time = false;
  std::size_t ideals = 0, blocks_tried = 0, pruned_by_bound = 0, outside_beam = 0,
              ideals_cut_short = 0;
  std::vector<fusion::PlanEvent> events;
};

// Blocks, by their units.
struct BlockMemo {
  struct Known {
    std::optional<fusion::Reason> refused;
    double cost = 0;  // of one that is not
  };
  struct Hash {
    std::size_t operator()(const std::vector<std::size_t>& units) const;
  };
  std::unordered_map<std::vector<std::size_t>, Known, Hash> blocks;
};

// Cancelled when asked to.
Result<IdealSearchResult> search_ideals(const fusion::BlockRules& rules, const Units& units,
                                        const fusion::CostModel& cost,
                                        const fusion::Constraints& constraints,
                                        const IdealSearchOptions& options,
                                        const Cancellation& cancellation,
                                        BlockMemo* memo = nullptr);

}  // namespace loopglass::passes
