// The difference of two graphs of one history. Ids are never reused and nodes are shared, so what
// is the same is known by its address, and only what is not is compared.
#pragma once

#include "core/graph/graph.h"

namespace loopglass::graph {

enum class Change : std::uint8_t { Same, Added, Removed, Changed };
std::string_view name(Change change);  // "same", "added", ...

// One thing that is not the same, as texts: {"input 1", "%a", "%b"}.
struct Difference {
  enum class Kind : std::uint8_t { Name, Operator, Inputs, Attribute, Type, Origin, Constant };
  Kind kind;
  std::size_t index = 0;  // of the input or result
  std::string what, before, after;
};

struct NodeDiff {
  NodeId id;
  Change change;                        // never Same
  NodePtr before, after;                // null where there is none
  std::vector<Difference> differences;  // of a changed one
};
struct ValueDiff {
  ValueId id;
  Change change;
  ValuePtr before, after;
  std::vector<Difference> differences;
  bool is_constant() const { return (after ? after : before)->is_constant(); }
};

struct Diff {
  // In topological order of `after`; removed ones stand before the survivor that followed them, and
  // before what was added there.
  std::vector<NodeDiff> nodes;
  std::vector<ValueDiff> values;  // inputs, results and constants, in id order
  std::size_t same_nodes = 0, same_values = 0;
  bool interface_changed = false;  // the lists of graph inputs or outputs

  bool empty() const { return nodes.empty() && values.empty() && !interface_changed; }
  std::size_t count(Change change) const;         // of nodes
  Change of(NodeId node) const;                   // Same for what is in neither list
  const NodeDiff* find(NodeId node) const;        // nullptr where it is the same, or nowhere
  std::unordered_map<NodeId, std::size_t> index;  // of `nodes`
};
Diff diff(const Graph& before, const Graph& after);

// What differs between two states of one node, in words a person reads. Names are those of the
// graph that each state belongs to.
std::vector<Difference> differences(const Graph& before_graph, const Node& before,
                                    const Graph& after_graph, const Node& after);
// "input 1: %a -> %b, name: a -> b"
std::string to_text(const std::vector<Difference>& differences);

}  // namespace loopglass::graph
