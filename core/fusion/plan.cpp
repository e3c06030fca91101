#include "core/fusion/plan.h"

#include "core/support/check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace loopglass::fusion {

std::string_view name(Reason reason) {
  switch (reason) {
    case Reason::Fused: return "FUSED";
    case Reason::OpaqueSource: return "OPAQUE_SOURCE";
    case Reason::External: return "EXTERNAL";
    case Reason::Constant: return "CONSTANT";
    case Reason::GraphOutput: return "GRAPH_OUTPUT";
    case Reason::NoPostDominator: return "NO_POST_DOMINATOR";
    case Reason::SinkIsTuple: return "SINK_IS_TUPLE";
    case Reason::AlreadyFused: return "ALREADY_FUSED";
    case Reason::IntermediateStillUsed: return "INTERMEDIATE_STILL_USED";
    case Reason::WouldCycle: return "WOULD_CYCLE";
    case Reason::MaxDepth: return "MAX_DEPTH";
    case Reason::MaxOperators: return "MAX_OPERATORS";
    case Reason::EdgeNotElementwise: return "EDGE_NOT_ELEMENTWISE";
    case Reason::PathTooComplex: return "PATH_TOO_COMPLEX";
    case Reason::PathNotInjective: return "PATH_NOT_INJECTIVE";
    case Reason::SinkKind: return "SINK_KIND";
    case Reason::DeferredToPhase1: return "DEFERRED_TO_PHASE_1";
    case Reason::ReductionDoesNotFuseForward: return "REDUCTION_DOES_NOT_FUSE_FORWARD";
    case Reason::SecondAnchor: return "SECOND_ANCHOR";
    case Reason::StrategyNone: return "STRATEGY_NONE";
    case Reason::LoweringUnsupported: return "LOWERING_UNSUPPORTED";
  }
  throw InternalError("reason outside its enumeration");
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
      if (node == nullptr) return fail(Code::PlanInvalid, fmt::format("group '{}' has a node that is not in the graph", group.name));
      if (done.contains(id)) return fail(Code::PlanInvalid, fmt::format("node '{}' is in two groups", node->name));
      for (const graph::ValueId input : node->inputs) {
        const graph::NodeId producer = input ? graph.value(input).producer : graph::NodeId{};
        if (producer && !members.contains(producer) && !done.contains(producer))
          return fail(Code::PlanInvalid, fmt::format("group '{}' runs before '{}', which it needs", group.name,
                                                     graph.node(producer).name));
      }
    }
    done.insert(members.begin(), members.end());
  }
  if (done.size() != graph.nodes().size())
    return fail(Code::PlanInvalid, fmt::format("the plan covers {} of {} nodes", done.size(), graph.nodes().size()));
  return {};
}

std::string to_text(const Plan& plan, const graph::Graph& graph) {
  std::string text = fmt::format("strategy {}: {} operators in {} kernels\n", plan.strategy, graph.nodes().size(),
                                 plan.groups.size());
  for (const Group& group : plan.groups) {
    std::vector<std::string> members;
    for (const graph::NodeId id : group.nodes)
      members.push_back(fmt::format("{}{}", graph.node(id).name, id == group.anchor ? "*" : ""));
    text += fmt::format("{:4} {}: {}\n", group.id.value, group.name, fmt::join(members, ", "));
  }
  return text;
}

}  // namespace loopglass::fusion
