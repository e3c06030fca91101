#include "core/fusion/near_miss.h"

#include "core/fusion/compare.h"
#include "core/fusion/edits.h"
#include "core/support/check.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace loopglass::fusion {

namespace {

// Refusals that are about a limit have it among their numbers.
bool is_limit(const std::pair<std::string, double>& number) { return number.first == "limit" || number.first == "cache"; }

class NearMisses {
 public:
  NearMisses(const BlockRules& rules, const Plan& plan, const CostModel& cost)
      : rules_(rules), graph_(rules.graph()), plan_(plan), cost_(cost), partition_(rules), alone_(rules) {
    for (const Group& group : plan.groups)
      for (std::size_t i = 1; i < group.nodes.size(); ++i)
        partition_.merge(block(group.nodes.front()), graph_.position(group.nodes[i]));
  }

  std::vector<NearMiss> operator()(std::size_t limit) const {
    std::vector<NearMiss> misses;
    std::set<std::pair<graph::ValueId, graph::NodeId>> seen;
    for (std::size_t i = 0; i < plan_.decisions.size(); ++i) {
      const Decision& decision = plan_.decisions[i];
      if (decision.fused || !seen.insert({decision.value, decision.consumer}).second) continue;
      NearMiss miss{i, graph_.value(decision.value).type.bytes(), saves_write(decision), {}};
      if (miss.saves_write) miss.saved_bytes *= 2;
      misses.push_back(std::move(miss));
    }
    std::stable_sort(misses.begin(), misses.end(),
                     [](const NearMiss& a, const NearMiss& b) { return a.saved_bytes > b.saved_bytes; });
    misses.resize(std::min(limit, misses.size()));
    for (NearMiss& miss : misses) miss.change = change(plan_.decisions[miss.decision]);
    return misses;
  }

 private:
  const std::string& name(graph::NodeId id) const { return graph_.node(id).name; }
  std::size_t block(graph::NodeId id) const { return partition_.block_of(graph_.position(id)); }

  std::string names(const std::vector<graph::NodeId>& ids) const {
    std::vector<std::string> list;
    for (const graph::NodeId id : ids) list.push_back(name(id));
    return fmt::format("{}", fmt::join(list, ", "));
  }

  // Readers of the value that one kernel of both ends would still have to write it for.
  std::vector<graph::NodeId> other_readers(const Decision& decision) const {
    std::vector<graph::NodeId> readers;
    for (const graph::Graph::Use& use : graph_.uses(decision.value))
      if (block(use.node) != block(decision.producer) && block(use.node) != block(decision.consumer) &&
          (readers.empty() || readers.back() != use.node))
        readers.push_back(use.node);
    return readers;
  }

  bool saves_write(const Decision& decision) const {
    return !graph_.is_output(decision.value) && other_readers(decision).empty();
  }

  Change change(const Decision& decision) const {
    switch (decision.reason) {
      case Reason::ForcedApart:
        return {Change::Kind::LiftConstraint, "allow it again: the edge, or another between the two kernels, was forbidden by hand", {}, {}, {}};
      case Reason::SplitByHand:
      case Reason::Pinned:
        return {Change::Kind::LiftConstraint, fmt::format("take back the edit that parted them ({})", decision.condition), {}, {}, {}};
      case Reason::MaxDepth:
      case Reason::MaxOperators:
      case Reason::MaxInputs: return raise_limit({decision.reason, decision.condition, decision.sentence, decision.numbers});
      case Reason::IntermediateStillUsed: return drop_readers(decision);
      case Reason::Fused: throw InternalError("what is fused is no miss");
      case Reason::OpaqueSource:
      case Reason::External:
      case Reason::GraphOutput:
      case Reason::NoPostDominator:
      case Reason::SinkIsTuple:
      case Reason::AlreadyFused:
      case Reason::WouldCycle:
      case Reason::WorkingSet:
      case Reason::EdgeNotElementwise:
      case Reason::PathTooComplex:
      case Reason::PathNotInjective:
      case Reason::SinkKind:
      case Reason::DeferredToPhase1:
      case Reason::ReductionDoesNotFuseForward:
      case Reason::SecondAnchor:
      case Reason::NeverProfitable:
      case Reason::NotWorthIt:
      case Reason::PrunedByBound:
      case Reason::OutsideBeam:
      case Reason::StrategyNone:
      case Reason::LoweringUnsupported: break;
    }
    // A strategy's own rules can be overruled; what a kernel can hold cannot.
    const auto refusal = partition_.refuse(block(decision.producer), block(decision.consumer));
    return refusal ? change_block(decision, *refusal) : overrule(decision);
  }

  Change overrule(const Decision& decision) const {
    const auto &first = partition_.nodes_of(block(decision.producer)), &second = partition_.nodes_of(block(decision.consumer));
    const double apart = cost_.cost(rules_, first).total + cost_.cost(rules_, second).total;
    const double fused = cost_.cost(rules_, partition_.joined(block(decision.producer), block(decision.consumer))).total;
    const std::string why = fmt::format("only the strategy's rule {} says no (estimated {:.2f} us in one kernel, {:.2f} us in two)",
                                        fusion::name(decision.reason), fused, apart);
    Change change{Change::Kind::Force, "force it: " + why, {}, force_option(decision), {{"microseconds fused", fused}, {"microseconds apart", apart}}};
    if (!may_force(decision)) {
      change.kind = Change::Kind::MergeByHand;
      change.recipe = fusion::to_text(Edit{Edit::Kind::Merge, {name(decision.producer), name(decision.consumer)}});
      change.sentence = "merge the two kernels by hand: " + why;
    }
    return change;
  }

  std::string force_option(const Decision& decision) const {
    return fmt::format("--force {}:{}", name(decision.producer), name(decision.consumer));
  }

  // Forcing begins with the two operators alone, so it would tear them out of kernels of more.
  bool may_force(const Decision& decision) const {
    for (const graph::NodeId end : {decision.producer, decision.consumer})
      if (partition_.nodes_of(block(end)).size() > 1) return false;
    const auto refusal = alone_.refuse(graph_.position(decision.producer), graph_.position(decision.consumer));
    return !refusal || refusal->reason == Reason::WorkingSet;
  }

  Change change_block(const Decision& decision, const Refusal& refusal) const {
    if (refusal.reason == Reason::WouldCycle) return take_along(decision, refusal);
    const bool is_size = refusal.reason == Reason::MaxOperators || refusal.reason == Reason::MaxInputs;
    if (is_size) return raise_limit(refusal);
    if (auto change = split_first(decision)) return *change;
    if (refusal.reason == Reason::WorkingSet) return overflow(decision, refusal);
    if (std::ranges::any_of(refusal.numbers, is_limit)) return raise_limit(refusal);
    return {Change::Kind::None, fmt::format("none: {}", refusal.sentence), {}, {}, {}};
  }

  // Whoever forces an edge may leave the cache.
  Change overflow(const Decision& decision, const Refusal& refusal) const {
    Change change = raise_limit(refusal);
    if (!may_force(decision)) return change;
    change.recipe = force_option(decision);
    change.sentence += "; or force the edge, and what is handed on leaves the cache";
    return change;
  }

  // The number beside the limit is what was asked for.
  Change raise_limit(const Refusal& refusal) const {
    const auto limit = std::ranges::find_if(refusal.numbers, is_limit);
    const auto wanted = std::ranges::find_if_not(refusal.numbers, is_limit);
    if (limit == refusal.numbers.end() || wanted == refusal.numbers.end())
      return {Change::Kind::RaiseLimit, fmt::format("raise the limit: {}", refusal.condition), {}, {}, refusal.numbers};
    return {Change::Kind::RaiseLimit, fmt::format("raise the limit of {} from {:.0f} to {:.0f}", wanted->first, limit->second, wanted->second), {}, {}, refusal.numbers};
  }

  Change drop_readers(const Decision& decision) const {
    const auto readers = other_readers(decision);
    if (readers.empty() && graph_.is_output(decision.value))
      return {Change::Kind::DropReaders, fmt::format("do not return {} from the network", graph_.value(decision.value).name), {}, {}, {}};
    if (readers.empty()) return overrule(decision);
    Change change{Change::Kind::DropReaders, fmt::format("drop the other {}: {}", readers.size() == 1 ? "reader" : "readers", names(readers)), readers, {}, {}};
    if (partition_.refuse(block(decision.producer), block(decision.consumer))) return change;
    change.recipe = overrule(decision).recipe;
    change.sentence += "; or write the value for them and fuse all the same";
    return change;
  }

  // Blocks that `from` leads to, or that lead to it, itself left out.
  std::set<std::size_t> reached(std::size_t from, bool forward) const {
    std::set<std::size_t> found;
    std::vector<std::size_t> stack{from};
    while (!stack.empty()) {
      const std::size_t at = stack.back();
      stack.pop_back();
      for (const std::size_t node : forward ? partition_.successors(at) : partition_.predecessors(at))
        if (const std::size_t next = partition_.block_of(node); found.insert(next).second) stack.push_back(next);
    }
    return found;
  }

  // Everything on a way from one kernel to the other, in one kernel with both.
  Change take_along(const Decision& decision, const Refusal& refusal) const {
    const std::size_t first = block(decision.producer), second = block(decision.consumer);
    const auto after = reached(first, true), before = reached(second, false);
    std::vector<std::size_t> all = partition_.joined(first, second);
    std::vector<graph::NodeId> between;
    for (const std::size_t other : after)
      if (other != second && before.contains(other))
        for (const std::size_t node : partition_.nodes_of(other)) {
          all.push_back(node);
          between.push_back(graph_.nodes()[node]->id);
        }
    std::sort(all.begin(), all.end());
    std::sort(between.begin(), between.end(), [&](auto a, auto b) { return graph_.position(a) < graph_.position(b); });
    if (const auto obstacle = rules_.refuse(all))
      return {Change::Kind::None,
              fmt::format("none: {} And what lies between cannot come along: {}", refusal.sentence, obstacle->sentence), between, {}, {}};
    Edit edit{Edit::Kind::Merge, {name(decision.producer)}};
    for (const graph::NodeId id : between) edit.nodes.push_back(name(id));
    edit.nodes.push_back(name(decision.consumer));
    return {Change::Kind::TakeAlong, fmt::format("fuse what lies between as well: {}", names(between)), between, fusion::to_text(edit), {}};
  }

  // An end that is not what its kernel is built around may do better with its neighbour.
  std::optional<Change> split_first(const Decision& decision) const {
    const PlanSummary now = summarise(rules_, plan_, cost_);
    for (const graph::NodeId end : {decision.producer, decision.consumer}) {
      if (partition_.nodes_of(block(end)).size() == 1) continue;
      const EditScript script{{}, {{Edit::Kind::Split, {name(end)}}, {Edit::Kind::Merge, {name(decision.producer), name(decision.consumer)}}}};
      const auto moved = apply_edits(rules_, plan_, script, {});
      if (!moved) continue;
      const PlanSummary then = summarise(rules_, *moved, cost_);
      const std::int64_t gain = now.written_bytes + now.read_bytes - then.written_bytes - then.read_bytes;
      if (gain <= 0) continue;
      return Change{Change::Kind::SplitFirst,
                    fmt::format("take {} out of its kernel first; in all that moves {} bytes less", name(end), gain), {end},
                    fmt::format("{} {}", fusion::to_text(script.edits[0]), fusion::to_text(script.edits[1])),
                    {{"bytes saved in all", static_cast<double>(gain)}}};
    }
    return std::nullopt;
  }

  const BlockRules& rules_;
  const graph::Graph& graph_;
  const Plan& plan_;
  const CostModel& cost_;
  PartitionBuilder partition_;   // as the plan has it
  PartitionBuilder alone_;       // every operator by itself: where forcing an edge begins
};

}  // namespace

std::string_view name(Change::Kind kind) {
  switch (kind) {
    case Change::Kind::Force: return "force";
    case Change::Kind::MergeByHand: return "merge-by-hand";
    case Change::Kind::LiftConstraint: return "lift-constraint";
    case Change::Kind::RaiseLimit: return "raise-limit";
    case Change::Kind::DropReaders: return "drop-readers";
    case Change::Kind::TakeAlong: return "take-along";
    case Change::Kind::SplitFirst: return "split-first";
    case Change::Kind::None: return "none";
  }
  throw InternalError("kind of change outside its enumeration");
}

std::vector<NearMiss> near_misses(const BlockRules& rules, const Plan& plan, const CostModel& cost, std::size_t limit) {
  return NearMisses(rules, plan, cost)(limit);
}

}  // namespace loopglass::fusion
