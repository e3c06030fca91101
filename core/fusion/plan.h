// A fusion plan: a partition of a graph's nodes into groups, each to become one kernel, and the
// decision taken on every edge, with its reason.
#pragma once

#include "core/graph/graph.h"
#include "core/support/cancellation.h"

#include <chrono>
#include <functional>
#include <memory>
#include <set>

namespace loopglass::fusion {

using GroupId = Id<struct GroupTag>;

struct Group {
  GroupId id;
  std::vector<graph::NodeId> nodes;  // topological order
  graph::NodeId anchor;              // the node whose loop nest the group takes
  std::string name;                  // "fused_conv_add_relu_3"
};

// Why an edge is fused, or not, or why a step of a search was not taken; names as in the literature
// on TVM's FuseOps and DNNFusion.
enum class Reason : std::uint8_t {
  Fused,
  // Who may take part.
  Opaque,
  OpaqueSource,
  External,
  // Topology.
  GraphOutput,
  NoPostDominator,
  SinkIsTuple,
  AlreadyFused,
  IntermediateStillUsed,
  WouldCycle,
  // Limits.
  MaxDepth,
  MaxOperators,
  MaxInputs,
  WorkingSet,
  // TVM's patterns.
  EdgeNotElementwise,
  PathTooComplex,
  PathNotInjective,
  SinkKind,
  DeferredToPhase1,
  ReductionDoesNotFuseForward,
  SecondAnchor,
  // Mapping types and costs.
  NoSeed,
  NeverProfitable,
  NotWorthIt,
  PrunedByBound,
  OutsideBeam,
  // What was asked for.
  StrategyNone,
  ForcedApart,
  SplitByHand,
  Pinned,
  // What the lowering cannot make one kernel of.
  LoweringUnsupported,
};
inline constexpr std::size_t reason_count =
    static_cast<std::size_t>(Reason::LoweringUnsupported) + 1;
std::string_view name(Reason reason);  // "SINK_KIND"
// What the code means in general, a sentence for the legend.
std::string_view explanation(Reason reason);

// Why something must not be, with the rule's condition, its operands and numbers; of Reason::Fused,
// why it is.
struct Refusal {
  Reason reason = Reason::Fused;
  std::string condition;  // "kind(conv2) <= Broadcast"
  std::string sentence;   // for a student
  std::vector<std::pair<std::string, double>> numbers;
};

struct Decision {
  graph::ValueId value;
  graph::NodeId producer, consumer;
  bool fused = false;
  bool forced = false;  // by a constraint
  Reason reason = Reason::Fused;
  std::string condition;  // the rule's condition with its operands: "kind(conv2) <= Broadcast"
  std::string sentence;   // for a student
  std::vector<std::pair<std::string, double>> numbers;  // "bytes" always: of the value
};

// An edge between two nodes, whatever values run along it.
struct Edge {
  graph::NodeId producer, consumer;
  friend auto operator<=>(const Edge&, const Edge&) = default;
};

// What a person asks for, whatever the strategy thinks: edges whose ends must share a kernel, and
// edges whose ends must not. What cannot be is refused with PlanInvalid and the reason.
struct Constraints {
  std::set<Edge> forced, forbidden;
  bool empty() const { return forced.empty() && forbidden.empty(); }
  friend bool operator==(const Constraints&, const Constraints&) = default;
};

// One moment of a strategy at work, for stepping through it and for guessing before the answer
// shows.
struct PlanEvent {
  enum class Kind : std::uint8_t {
    Ancestor,  // dominator: where the consumers of nodes[0] seen so far meet (`other`, invalid:
               // nowhere), with the tree nodes climbed over behind nodes[0]; "pattern" is what was
               // joined
    Phase,     // a phase or round begins
    Path,    // all nodes between nodes.front() and its post-dominator nodes.back(), checked against
             // `condition`; `other` is the first that fails it, and `reason` how
    Merge,   // nodes become one group
    Refuse,  // nodes stay apart
    Seed,    // mapping: a group begins to grow here
    Expand,  // dp: a set of executed operators, its cost so far, and the bound
    Prune,   // dp: what was not looked at, and by which bound
  };
  Kind kind;
  std::vector<graph::NodeId> nodes;  // first the one in question
  Reason reason = Reason::Fused;
  std::string sentence;
  std::vector<std::pair<std::string, double>> numbers;
  graph::NodeId other = {};
  std::string condition = {};
};
std::string_view name(PlanEvent::Kind kind);

// How sure a strategy is of its plan.
enum class Optimality : std::uint8_t { Heuristic, BestInBeam, ProvedOptimal };
std::string_view name(Optimality optimality);  // "proved optimal"

struct Plan {
  std::string strategy;
  std::vector<Group> groups;        // in an order in which they can run
  std::vector<Decision> decisions;  // one per edge between nodes
  std::vector<PlanEvent> events;    // how it came about; empty unless asked for
  Optimality optimality = Optimality::Heuristic;

  const Group& group(GroupId id) const { return groups[id.value]; }
  GroupId group_of(graph::NodeId node) const;  // CHECKs
  std::unordered_map<graph::NodeId, GroupId> membership;
};

class CostModel;    // cost_model.h
struct EditScript;  // edits.h

struct PlanOptions {
  Constraints constraints;
  std::shared_ptr<const CostModel> cost;  // null: the host's defaults
  // Of a partition by hand (strategy "manual"); null: none.
  std::shared_ptr<const EditScript> edits;
  bool record_events = false;
  // Of searches; what is left of them is the best found.
  std::chrono::milliseconds time_budget{3000};
  Progress progress;
  Cancellation cancellation;
};

struct Strategy {
  std::string name;  // "dominator"
  std::string doc;
  std::function<Result<Plan>(const graph::Graph&, const PlanOptions&)> plan;
};

// Covers every node once, groups' quotient acyclic, order runnable.
Result<void> verify(const Plan& plan, const graph::Graph& graph);
std::string to_text(const Plan& plan, const graph::Graph& graph);
// Its parts: "strategy dominator: 13 operators in 9 kernels", "   0 fused_conv_relu_0: conv1*,
// relu1".
std::string plan_line(const Plan& plan, const graph::Graph& graph);
std::string group_line(const Group& group, const graph::Graph& graph);

}  // namespace loopglass::fusion
