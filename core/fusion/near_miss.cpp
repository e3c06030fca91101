#include "core/fusion/near_miss.h"

#include "core/fusion/smallest_change.h"
#include "core/support/check.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace loopglass::fusion {

namespace {

// One for each value and reader, the largest values first.
std::vector<std::size_t> candidates(const Plan& plan, const graph::Graph& graph) {
  std::vector<std::size_t> found;
  std::set<std::pair<graph::ValueId, graph::NodeId>> seen;
  for (std::size_t i = 0; i < plan.decisions.size(); ++i) {
    const Decision& decision = plan.decisions[i];
    // No change to the plan makes an operator known.
    if (decision.reason == Reason::Opaque) continue;
    if (!decision.fused && seen.insert({decision.value, decision.consumer}).second)
      found.push_back(i);
  }
  std::stable_sort(found.begin(), found.end(), [&](std::size_t a, std::size_t b) {
    const auto bytes = [&](std::size_t i) {
      return graph.value(plan.decisions[i].value).type.bytes();
    };
    return bytes(a) > bytes(b);
  });
  return found;
}

// What an estimate tells apart: sums in another order differ in their last digits.
long long tenths_of_nanoseconds(double microseconds) { return std::llround(microseconds * 1e4); }

bool is_better(const NearMiss& a, const NearMiss& b) {
  const auto rank = [](const NearMiss& miss) {
    const auto time = tenths_of_nanoseconds(miss.saved_microseconds);
    return std::tuple(miss.change.kind == Change::Kind::None, time < 0, !saves_time(miss),
                      miss.leaves_cache, -miss.saved_bytes, -time);
  };
  return rank(a) < rank(b);
}

}  // namespace

bool saves_time(const NearMiss& miss) {
  if (miss.change.kind == Change::Kind::None) return false;
  if (miss.gain != Gain::Unknown) return miss.gain == Gain::Gain;
  return tenths_of_nanoseconds(miss.saved_microseconds) > 0;
}

std::string_view name(Change::Kind kind) {
  switch (kind) {
    case Change::Kind::Force: return "force";
    case Change::Kind::MergeByHand: return "merge-by-hand";
    case Change::Kind::LiftConstraint: return "lift-constraint";
    case Change::Kind::TakeAlong: return "take-along";
    case Change::Kind::SplitFirst: return "split-first";
    case Change::Kind::None: return "none";
  }
  throw InternalError("kind of change outside its enumeration");
}

Result<std::vector<NearMiss>> near_misses(const BlockRules& rules, const Plan& plan,
                                          const CostModel& cost, std::size_t limit,
                                          const Progress& progress,
                                          const Cancellation& cancellation,
                                          const std::function<bool(const Decision&)>& wanted) {
  // Each is tried in a plan of its own, which takes time of the order of the graph's size.
  const std::size_t nodes = std::max<std::size_t>(rules.graph().nodes().size(), 1);
  const std::size_t looked_at = std::clamp<std::size_t>(300000 / nodes, 32, 256);
  std::vector<std::size_t> found = candidates(plan, rules.graph());
  if (wanted)
    std::erase_if(found, [&](std::size_t decision) { return !wanted(plan.decisions[decision]); });
  found.resize(std::min(found.size(), std::max(limit, looked_at)));
  const SmallestChange change(rules, plan, cost);
  std::vector<NearMiss> misses;
  for (const std::size_t decision : found) {
    if (cancellation.requested())
      return fail(Code::Cancelled, "looking for near misses was cancelled");
    if (progress)
      progress("looking for near misses",
               static_cast<double>(misses.size()) / static_cast<double>(found.size()));
    misses.push_back(change(plan.decisions[decision]));
    misses.back().decision = decision;
  }
  std::stable_sort(misses.begin(), misses.end(), is_better);
  misses.resize(std::min(limit, misses.size()));
  return misses;
}

}  // namespace loopglass::fusion
