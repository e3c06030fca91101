#include "tests/fusion/tvm_fuse.h"

#include <algorithm>
#include <map>
#include <set>

namespace loopglass::test {

namespace {

using Kind = ops::PatternKind;
constexpr int none = -1;

// IndexedForwardGraph: expressions as the visitor leaves them, operands first.
struct Vertex {
  int node = none;  // position of the operator; none: a tuple, or an element of one
  Kind kind = Kind::Elementwise;
  bool is_extern = false;
  std::vector<std::pair<int, Kind>> outputs = {};
  int parent = none, depth = 1;
  Kind joined = Kind::Elementwise;  // DominatorTree::Node::pattern
};

class Fusion {
 public:
  Fusion(const graph::Graph& graph,
         const std::function<RelayOperator(const graph::Node&)>& operator_of)
      : graph_(graph), operator_of_(operator_of) {
    visit_outputs();
    for (int v = static_cast<int>(vertices_.size()); v-- > 0;) find_parent(v);
    for (const Vertex& vertex : vertices_) {
      root_.push_back(static_cast<int>(root_.size()));
      kind_.push_back(vertex.kind);
    }
  }

  std::vector<int> operator()() {
    for (int phase = 0; phase < 3; ++phase)
      for (int v = 0; v < static_cast<int>(vertices_.size()); ++v) fuse(v, phase);
    std::vector<int> groups(graph_.nodes().size());
    for (std::size_t i = 0; i < groups.size(); ++i) groups[i] = none - 1 - static_cast<int>(i);
    for (int v = 0; v < static_cast<int>(vertices_.size()); ++v)
      if (vertices_[v].node != none) groups[vertices_[v].node] = find_root(v);
    return groups;
  }

 private:
  // --- the graph
  // ----------------------------------------------------------------------------------

  int add(int node, Kind kind, const std::vector<std::pair<int, Kind>>& operands) {
    const int made = static_cast<int>(vertices_.size());
    vertices_.push_back({.node = node, .kind = kind});
    for (const auto& [operand, edge] : operands)
      if (operand != none) vertices_[operand].outputs.emplace_back(made, edge);
    return made;
  }

  void visit_outputs() {
    std::vector<std::pair<int, Kind>> fields;
    for (const graph::ValueId output : graph_.outputs())
      fields.emplace_back(visit(output), Kind::Injective);
    if (fields.size() == 1) {
      if (fields[0].first != none) vertices_[fields[0].first].is_extern = true;
    } else {
      vertices_[add(none, Kind::Tuple, fields)].is_extern = true;
    }
  }

  int visit(graph::ValueId value) {
    const graph::NodeId producer = graph_.value(value).producer;
    if (!producer) return none;  // a parameter or a constant
    const int position = static_cast<int>(graph_.position(producer));
    const int call = visit_call(position);
    if (graph_.node(producer).outputs.size() == 1) return call;
    // TupleGetItem
    if (const auto known = items_.find(value); known != items_.end()) return known->second;
    return items_[value] = add(none, Kind::Injective, {{call, Kind::Injective}});
  }

  int visit_call(int position) {
    if (const auto known = calls_.find(position); known != calls_.end()) return known->second;
    const graph::Node& node = *graph_.nodes()[position];
    const RelayOperator op = operator_of_(node);
    std::vector<std::pair<int, Kind>> operands;
    for (const graph::ValueId input : node.inputs) {
      if (!input) continue;
      const int operand = visit(input);
      const bool same_shape =
          graph_.value(input).type.shape == graph_.value(node.outputs[0]).type.shape;
      operands.emplace_back(operand, op.takes_tuple                             ? Kind::Injective
                                     : op.kind == Kind::Broadcast && same_shape ? Kind::Elementwise
                                                                                : op.kind);
    }
    if (op.takes_tuple) operands = {{add(none, Kind::Tuple, operands), op.kind}};
    return calls_[position] = add(position, op.kind, operands);
  }

  // --- the post-dominator tree
  // --------------------------------------------------------------------

  void find_parent(int v) {
    Vertex& vertex = vertices_[v];
    if (vertex.is_extern) {
      vertex.joined = Kind::Opaque;
      return;
    }
    if (vertex.outputs.empty()) return;
    int parent = vertex.outputs.front().first;
    Kind joined = vertex.outputs.front().second;
    for (std::size_t k = 1; k < vertex.outputs.size(); ++k) {
      parent = common_ancestor(parent, vertex.outputs[k].first, joined);
      joined = std::max(joined, vertex.outputs[k].second);
    }
    vertex.parent = parent;
    vertex.depth = parent == none ? 1 : vertices_[parent].depth + 1;
    vertex.joined = joined;
  }

  int common_ancestor(int a, int b, Kind& joined) const {
    while (a != b) {
      if (a == none || b == none) return none;
      const int depth_a = vertices_[a].depth, depth_b = vertices_[b].depth;
      if (depth_a <= depth_b) joined = std::max(joined, vertices_[b].joined);
      if (depth_b <= depth_a) joined = std::max(joined, vertices_[a].joined);
      const int up_a = depth_b <= depth_a ? vertices_[a].parent : a;
      b = depth_a <= depth_b ? vertices_[b].parent : b;
      a = up_a;
    }
    return a;
  }

  // --- the partition
  // ------------------------------------------------------------------------------

  int find_root(int v) const {
    while (root_[v] != v) v = root_[v];
    return v;
  }
  Kind root_kind(int v) const { return kind_[find_root(v)]; }

  using Condition = std::function<bool(Kind kind, bool is_sink)>;

  bool check_path(int v, int sink, const Condition& condition, std::set<int>& visited) const {
    if (!visited.insert(v).second) return true;
    if (!condition(root_kind(v), v == sink)) return false;
    if (v == sink) return true;
    return std::ranges::all_of(vertices_[v].outputs, [&](const auto& output) {
      return check_path(output.first, sink, condition, visited);
    });
  }

  void commit(int v, int sink, int target, std::set<int>& visited) {
    if (v == sink || !visited.insert(v).second) return;
    const int child = find_root(v), parent = find_root(target);
    if (child != parent) {
      root_[child] = parent;
      // Only what holds an anchor hands its kind on.
      if (kind_[child] == Kind::OutElementwiseFusable) kind_[parent] = Kind::OutElementwiseFusable;
    }
    for (const auto& [output, edge] : vertices_[v].outputs) commit(output, sink, target, visited);
  }

  void fuse_if(int v, const Condition& condition) {
    const int sink = vertices_[v].parent;
    std::set<int> visited;
    for (const auto& [output, edge] : vertices_[v].outputs)
      if (!check_path(output, sink, condition, visited)) return;
    visited.clear();
    commit(v, sink, sink, visited);
  }

  void fuse(int v, int phase) {
    const Vertex& vertex = vertices_[v];
    const Kind kind = kind_[v];
    if (kind == Kind::Opaque || vertex.parent == none) return;
    const Condition at_most_injective = [](Kind k, bool) { return k <= Kind::Injective; };
    if (phase == 2) {
      if (kind > Kind::Injective || root_kind(vertex.parent) == Kind::Tuple) return;
      if (kind_[vertex.parent] == Kind::Tuple && root_kind(vertex.parent) <= Kind::Injective)
        fuse_if(v, at_most_injective);
      return;
    }
    if (find_root(v) == find_root(vertex.parent) || kind_[vertex.parent] == Kind::Tuple) return;
    if (kind == Kind::OutElementwiseFusable) {
      if (phase == 0 && vertex.joined == Kind::Elementwise)
        fuse_if(v, [](Kind k, bool) { return k <= Kind::Broadcast; });
    } else if (kind <= Kind::Broadcast) {
      if (vertex.joined <= Kind::Injective || vertex.joined == Kind::CommReduce)
        fuse_if(v, [](Kind k, bool is_sink) {
          return k <= (is_sink ? Kind::OutElementwiseFusable : Kind::Injective);
        });
    } else if (kind == Kind::Injective || kind == Kind::Tuple) {
      if (phase == 1) fuse_if(v, at_most_injective);
    }
  }

  const graph::Graph& graph_;
  const std::function<RelayOperator(const graph::Node&)>& operator_of_;
  std::vector<Vertex> vertices_;
  std::map<int, int> calls_;
  std::map<graph::ValueId, int> items_;
  std::vector<int> root_;
  std::vector<Kind> kind_;
};

}  // namespace

std::vector<int> tvm_groups(const graph::Graph& graph,
                            const std::function<RelayOperator(const graph::Node&)>& operator_of) {
  return Fusion(graph, operator_of)();
}

}  // namespace loopglass::test
