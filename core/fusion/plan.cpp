#include "core/fusion/plan.h"

#include "core/support/check.h"
#include "core/support/counted.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <array>
#include <set>

namespace loopglass::fusion {

namespace {

struct ReasonText {
  Reason reason;
  std::string_view name, explanation;
};

// In the order of the enumeration.
constexpr std::array<ReasonText, reason_count> reasons{{
    {Reason::Fused, "FUSED", "Both ends run in one kernel."},
    {Reason::Opaque, "OPAQUE",
     "One end is an operator that is not known or not supported: there is no kernel for it, and "
     "nothing is moved across it."},
    {Reason::OpaqueSource, "OPAQUE_SOURCE",
     "TVM's rules append nothing to the producer: it is no single loop nest, or TVM treats it as "
     "none."},
    {Reason::External, "EXTERNAL",
     "The operators do not feed one another, so they share nothing that a kernel could keep."},
    {Reason::GraphOutput, "GRAPH_OUTPUT",
     "The producer makes a result of the network, which is written in any case."},
    {Reason::NoPostDominator, "NO_POST_DOMINATOR",
     "No operator lies on every path from the producer to the results."},
    {Reason::SinkIsTuple, "SINK_IS_TUPLE",
     "The consumer takes a list of tensors; only the last phase puts something in front of it, and "
     "nothing that reduces."},
    {Reason::AlreadyFused, "ALREADY_FUSED",
     "The producer went into another kernel, which grew away from the consumer."},
    {Reason::IntermediateStillUsed, "INTERMEDIATE_STILL_USED",
     "Another operator, which cannot join, reads the value as well, so it has to be written in any "
     "case."},
    {Reason::WouldCycle, "WOULD_CYCLE", "The kernel would wait for another that waits for it."},
    {Reason::MaxDepth, "MAX_DEPTH",
     "The group would hold more operators than the limit of the rules."},
    {Reason::MaxOperators, "MAX_OPERATORS", "The kernel would hold more operators than the limit."},
    {Reason::MaxInputs, "MAX_INPUTS", "The kernel would read more tensors than the limit."},
    {Reason::WorkingSet, "WORKING_SET",
     "What the kernel keeps aside would not fit into the cache."},
    {Reason::EdgeNotElementwise, "EDGE_NOT_ELEMENTWISE",
     "The consumer does not read the value element by element, but moves, repeats or sums elements "
     "in a way that the rule does not allow."},
    {Reason::PathTooComplex, "PATH_TOO_COMPLEX",
     "An operator between the producer and its post-dominator is too complex to be taken along."},
    {Reason::PathNotInjective, "PATH_NOT_INJECTIVE",
     "An operator on the path is more than a map from element to element, which is all that is "
     "allowed there."},
    {Reason::SinkKind, "SINK_KIND",
     "The group of the post-dominator is of a kind that cannot take the producer in."},
    {Reason::DeferredToPhase1, "DEFERRED_TO_PHASE_1",
     "Injective operators wait until convolutions have taken what they can; by then the consumer "
     "was taken."},
    {Reason::ReductionDoesNotFuseForward, "REDUCTION_DOES_NOT_FUSE_FORWARD",
     "A reduction is complete only after its last iteration; what follows starts a new kernel."},
    {Reason::SecondAnchor, "SECOND_ANCHOR",
     "The kernel would hold more anchors than it may: operators that kernels are built around."},
    {Reason::NoSeed, "NO_SEED",
     "Kernels grow from one-to-one operators, and none that grew came by this edge."},
    {Reason::NeverProfitable, "NEVER_PROFITABLE", "The mapping types say that fusing never pays."},
    {Reason::NotWorthIt, "NOT_WORTH_IT",
     "With both ends in one kernel the whole would take longer."},
    {Reason::PrunedByBound, "PRUNED_BY_BOUND",
     "A step of a search: whatever followed, it would have cost more than a plan that was known."},
    {Reason::OutsideBeam, "OUTSIDE_BEAM",
     "Others looked more promising to the search, and were followed instead."},
    {Reason::StrategyNone, "STRATEGY_NONE", "The strategy fuses nothing."},
    {Reason::ForcedApart, "FORCED_APART", "The edge was forbidden by hand."},
    {Reason::SplitByHand, "SPLIT_BY_HAND", "A person took the operator out of its group."},
    {Reason::Pinned, "PINNED", "A person asked for a group to stay as it is."},
    {Reason::LoweringUnsupported, "LOWERING_UNSUPPORTED",
     "The lowering cannot make one kernel of them."},
}};
static_assert([] {
  for (std::size_t i = 0; i < reason_count; ++i)
    if (reasons[i].reason != static_cast<Reason>(i)) return false;
  return true;
}());

}  // namespace

std::string_view name(Reason reason) { return reasons[static_cast<std::size_t>(reason)].name; }
std::string_view explanation(Reason reason) {
  return reasons[static_cast<std::size_t>(reason)].explanation;
}

std::string_view name(PlanEvent::Kind kind) {
  switch (kind) {
    case PlanEvent::Kind::Ancestor: return "ancestor";
    case PlanEvent::Kind::Phase: return "phase";
    case PlanEvent::Kind::Path: return "path";
    case PlanEvent::Kind::Merge: return "merge";
    case PlanEvent::Kind::Refuse: return "refuse";
    case PlanEvent::Kind::Seed: return "seed";
    case PlanEvent::Kind::Expand: return "expand";
    case PlanEvent::Kind::Prune: return "prune";
  }
  throw InternalError("kind of event outside its enumeration");
}

std::string_view name(Optimality optimality) {
  switch (optimality) {
    case Optimality::Heuristic: return "heuristic";
    case Optimality::BestInBeam: return "best in beam";
    case Optimality::ProvedOptimal: return "proved optimal";
  }
  throw InternalError("optimality outside its enumeration");
}

GroupId Plan::group_of(graph::NodeId node) const {
  const auto found = membership.find(node);
  CHECK(found != membership.end(), fmt::format("node {} is in no group", node.value));
  return found->second;
}

Result<void> verify(const Plan& plan, const graph::Graph& graph) {
  std::set<graph::NodeId> done;
  for (const Group& group : plan.groups) {
    const std::set<graph::NodeId> members(group.nodes.begin(), group.nodes.end());
    for (const graph::NodeId id : group.nodes) {
      const graph::Node* node = graph.find(id);
      if (node == nullptr)
        return fail(Code::PlanInvalid,
                    fmt::format("group '{}' has a node that is not in the graph", group.name));
      if (done.contains(id))
        return fail(Code::PlanInvalid, fmt::format("node '{}' is in two groups", node->name));
      for (const graph::ValueId input : node->inputs) {
        const graph::NodeId producer = input ? graph.value(input).producer : graph::NodeId{};
        if (producer && !members.contains(producer) && !done.contains(producer))
          return fail(Code::PlanInvalid, fmt::format("group '{}' runs before '{}', which it needs",
                                                     group.name, graph.node(producer).name));
      }
    }
    done.insert(members.begin(), members.end());
  }
  if (done.size() != graph.nodes().size())
    return fail(Code::PlanInvalid,
                fmt::format("the plan covers {} of {} nodes", done.size(), graph.nodes().size()));
  return {};
}

std::string plan_line(const Plan& plan, const graph::Graph& graph) {
  return fmt::format("strategy {}: {} in {}", plan.strategy,
                     counted(graph.nodes().size(), "operator"),
                     counted(plan.groups.size(), "kernel"));
}

std::string group_line(const Group& group, const graph::Graph& graph) {
  std::vector<std::string> members;
  for (const graph::NodeId id : group.nodes)
    members.push_back(fmt::format("{}{}", graph.node(id).name, id == group.anchor ? "*" : ""));
  return fmt::format("{:4} {}: {}", group.id.value, group.name, fmt::join(members, ", "));
}

std::string to_text(const Plan& plan, const graph::Graph& graph) {
  std::string text = plan_line(plan, graph) + "\n";
  for (const Group& group : plan.groups) text += group_line(group, graph) + "\n";
  return text;
}

}  // namespace loopglass::fusion
