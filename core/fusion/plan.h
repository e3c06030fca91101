// A fusion plan: a partition of a graph's nodes into groups, each to become one kernel, and the
// decision taken on every edge, with its reason.
#pragma once

#include "core/graph/graph.h"

#include <functional>

namespace loopglass::fusion {

using GroupId = Id<struct GroupTag>;

struct Group {
  GroupId id;
  std::vector<graph::NodeId> nodes;  // topological order
  graph::NodeId anchor;              // the node whose loop nest the group takes
  std::string name;                  // "fused_conv_add_relu_3"
};

// Why an edge is not fused; names as in the literature on TVM's FuseOps and DNNFusion.
enum class Reason : std::uint8_t {
  Fused,
  OpaqueSource, External, Constant, GraphOutput, NoPostDominator, SinkIsTuple, AlreadyFused,
  IntermediateStillUsed, WouldCycle, MaxDepth, MaxOperators, EdgeNotElementwise, PathTooComplex,
  PathNotInjective, SinkKind, DeferredToPhase1, ReductionDoesNotFuseForward, SecondAnchor,
  StrategyNone, LoweringUnsupported,
};
std::string_view name(Reason reason);  // "SINK_KIND"

struct Decision {
  graph::ValueId value;
  graph::NodeId producer, consumer;
  bool fused = false;
  Reason reason = Reason::Fused;
  std::string condition;  // the rule's condition with its operands: "kind(conv2) <= Broadcast"
  std::string sentence;   // for a student
  std::vector<std::pair<std::string, double>> numbers;
};

struct Plan {
  std::string strategy;
  std::vector<Group> groups;         // in an order in which they can run
  std::vector<Decision> decisions;   // one per edge between nodes

  const Group& group(GroupId id) const { return groups[id.value]; }
  GroupId group_of(graph::NodeId node) const;  // CHECKs
  std::unordered_map<graph::NodeId, GroupId> membership;
};

struct Strategy {
  std::string name;  // "dominator"
  std::string doc;
  std::function<Result<Plan>(const graph::Graph&)> plan;
};

// Covers every node once, groups' quotient acyclic, order runnable.
Result<void> verify(const Plan& plan, const graph::Graph& graph);
std::string to_text(const Plan& plan, const graph::Graph& graph);

}  // namespace loopglass::fusion
