// The history of every node: what it was made from, by which rule, what became of it; from the
// nodes that were imported to those of the last graph. Where a pass does not say what it made from
// what, the origins of the nodes do.
#pragma once

#include "core/pass/node_events.h"

#include <deque>

namespace loopglass::pass {

enum class Presence : std::uint8_t { Absent, Created, Unchanged, Changed, Removed };
std::string_view name(Presence presence);  // "absent", ...

// A moment in a node's life.
struct Moment {
  Position position;   // just after it
  std::string rule;    // of the rewrite, empty where the pass did not say
  std::string detail;  // the rewrite's sentence
  friend bool operator==(const Moment&, const Moment&) = default;
};

struct Life {
  graph::NodeId id;
  graph::NodePtr first, last;      // as it was made and as it was last seen; null: seen in no graph
  std::vector<std::string> names;  // all it ever had, in order
  bool imported = false;           // there from the start
  Moment born;                     // of an imported one: {0}
  std::optional<Moment> gone;      // none: still there at the end
  std::vector<graph::NodeId> parents, children;  // made from, made into or merged into
  std::vector<graph::NodeId> into;  // of the children, those that took its place when it went
  std::string constant;             // the name of the constant it became, if any
  struct Change {
    Moment moment;
    std::vector<graph::Difference> differences;
  };
  std::vector<Change> changes;
};

class NodeHistory {
 public:
  // Reruns passes only for nodes that no recorded graph has, and only with `graph_at`.
  explicit NodeHistory(std::shared_ptr<const GraphHistory> history, const GraphAt& graph_at = {});

  const GraphHistory& history() const { return *history_; }
  const std::vector<NodeEvent>& events(std::size_t step) const { return events_[step]; }
  const Life* find(graph::NodeId node) const;               // nullptr: no node ever had this id
  const std::deque<Life>& lives() const { return lives_; }  // in order of birth

  // In which state a node leaves a step; Created at step 0 if it was imported.
  Presence presence(graph::NodeId node, std::size_t step) const;
  std::vector<Presence> presences(graph::NodeId node) const;  // for every step

  // All nodes that ever had a name, in order of birth.
  std::vector<graph::NodeId> named(std::string_view name) const;
  // Of a name, or an id as "#12": the node at `step` if there is one, else the last that had the
  // name. GraphEntityUnknown, with the closest name.
  Result<graph::NodeId> resolve(std::string_view name_or_id,
                                std::optional<std::size_t> step = {}) const;

  // Nearest first, each once.
  std::vector<graph::NodeId> ancestors(graph::NodeId node) const;
  std::vector<graph::NodeId> descendants(graph::NodeId node) const;
  // What a node is at a step: itself, or those of its ancestors or descendants that are there.
  std::vector<graph::NodeId> at_step(graph::NodeId node, std::size_t step) const;
  // "conv1", "#12" for a node that was never seen.
  std::string name_of(graph::NodeId node) const;
  // "conv1 (Conv), bn1 (BatchNormalization) and relu1 (Relu)"
  std::string names_of(const std::vector<graph::NodeId>& nodes) const;
  // What happened to it from birth to end, a sentence each.
  std::vector<std::string> story(graph::NodeId node) const;

 private:
  Life& life(graph::NodeId node);
  void see(Life& life, const graph::NodePtr& node);
  void link(graph::NodeId parent, graph::NodeId child);
  void record(std::size_t step, const NodeEvent& event);
  void link_by_origin(std::size_t step);
  std::vector<graph::NodeId> reach(graph::NodeId node,
                                   std::vector<graph::NodeId> Life::*next) const;

  std::shared_ptr<const GraphHistory> history_;
  std::vector<std::vector<NodeEvent>> events_;  // by step
  std::deque<Life> lives_;
  std::unordered_map<graph::NodeId, std::size_t> index_;
  std::unordered_map<std::string, std::vector<graph::NodeId>> names_;
};

}  // namespace loopglass::pass
