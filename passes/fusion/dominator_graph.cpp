#include "passes/fusion/dominator_graph.h"

#include "core/fusion/edge_kind.h"

#include <fmt/format.h>
#include <algorithm>

namespace loopglass::passes {

namespace {

using fusion::PatternKind;

// Positions as a depth-first walk from the results leaves them, producers first; then dead code.
std::vector<std::size_t> post_order(const graph::Graph& graph) {
  const auto& nodes = graph.nodes();
  std::vector<std::size_t> order;
  std::vector<bool> seen(nodes.size());
  std::vector<std::pair<std::size_t, std::size_t>> stack;  // position, inputs followed so far
  const auto enter = [&](graph::ValueId value) {
    const graph::NodeId producer = value ? graph.value(value).producer : graph::NodeId{};
    if (!producer || seen[graph.position(producer)]) return;
    seen[graph.position(producer)] = true;
    stack.emplace_back(graph.position(producer), 0);
  };
  const auto walk = [&] {
    while (!stack.empty()) {
      const std::size_t position = stack.back().first;
      const auto& inputs = nodes[position]->inputs;
      if (const std::size_t next = stack.back().second++; next < inputs.size()) {
        enter(inputs[next]);
      } else {
        order.push_back(position);
        stack.pop_back();
      }
    }
  };
  for (const graph::ValueId output : graph.outputs()) {
    enter(output);
    walk();
  }
  for (std::size_t position = 0; position < nodes.size(); ++position)
    if (!seen[position]) order.push_back(position);
  return order;
}

}  // namespace

DominatorGraph::DominatorGraph(const fusion::BlockRules& rules,
                               std::vector<fusion::PlanEvent>* events)
    : rules_(rules), events_(events) {
  number_vertices();
  add_edges();
  for (std::size_t vertex = size(); vertex-- > 0;) find_parent(vertex);
}

void DominatorGraph::number_vertices() {
  const graph::Graph& graph = rules_.graph();
  vertex_of_.assign(graph.nodes().size(), none);
  tuple_of_ = vertex_of_;
  for (const std::size_t position : post_order(graph)) {
    const graph::Node& node = *graph.nodes()[position];
    if (fusion::takes_tuple(*node.op, rules_.relay_kind(position))) {
      tuple_of_[position] = size();
      vertices_.push_back({.position = position, .is_tuple = true});
    }
    vertex_of_[position] = size();
    const bool is_result =
        std::any_of(node.outputs.begin(), node.outputs.end(),
                    [&](graph::ValueId output) { return graph.is_output(output); });
    vertices_.push_back({.position = position, .is_result = is_result});
  }
}

void DominatorGraph::add_edges() {
  const graph::Graph& graph = rules_.graph();
  for (Vertex& vertex : vertices_) {
    if (vertex.is_tuple) {
      vertex.edges.push_back({vertex_of_[vertex.position], rules_.relay_kind(vertex.position)});
      continue;
    }
    for (const graph::ValueId output : graph.nodes()[vertex.position]->outputs)
      for (const graph::Graph::Use& use : graph.uses(output)) {
        const std::size_t consumer = graph.position(use.node), tuple = tuple_of_[consumer];
        vertex.edges.push_back({tuple != none ? tuple : vertex_of_[consumer],
                                fusion::edge_kind(rules_, output, consumer)});
      }
  }
}

graph::NodeId DominatorGraph::node(std::size_t vertex) const {
  return rules_.graph().nodes()[position(vertex)]->id;
}

std::string DominatorGraph::name(std::size_t vertex) const {
  const std::string& name = rules_.graph().nodes()[position(vertex)]->name;
  return is_tuple(vertex) ? fmt::format("the operands of {}", name) : name;
}

PatternKind DominatorGraph::kind(std::size_t vertex) const {
  return is_tuple(vertex) ? PatternKind::Tuple : rules_.relay_kind(position(vertex));
}

void DominatorGraph::find_parent(std::size_t vertex) {
  Vertex& entry = vertices_[vertex];
  if (entry.is_result) {
    entry.joined = PatternKind::Opaque;
    return record(vertex, none, 0, {});
  }
  if (entry.edges.empty()) return;  // dead code
  std::size_t ancestor = entry.edges.front().consumer;
  std::size_t consumers = 0;
  for (const Edge& edge : entry.edges) {
    std::vector<std::size_t> climbed;
    if (consumers > 0) ancestor = common_ancestor(ancestor, edge.consumer, entry.joined, climbed);
    entry.joined = std::max(entry.joined, edge.kind);
    record(vertex, ancestor, ++consumers, climbed);
  }
  entry.parent = ancestor;
  entry.depth = ancestor == none ? 1 : vertices_[ancestor].depth + 1;
}

std::size_t DominatorGraph::common_ancestor(std::size_t a, std::size_t b, PatternKind& joined,
                                            std::vector<std::size_t>& climbed) const {
  const auto climb = [&](std::size_t& vertex) {
    joined = std::max(joined, vertices_[vertex].joined);
    if (events_ != nullptr) climbed.push_back(vertex);
    vertex = vertices_[vertex].parent;
  };
  while (a != b) {
    if (a == none || b == none) return none;
    const int depth_a = vertices_[a].depth, depth_b = vertices_[b].depth;
    if (depth_a >= depth_b) climb(a);
    if (depth_b >= depth_a) climb(b);
  }
  return a;
}

void DominatorGraph::record(std::size_t vertex, std::size_t ancestor, std::size_t consumers,
                            const std::vector<std::size_t>& climbed) const {
  if (events_ == nullptr || is_tuple(vertex)) return;
  const Vertex& entry = vertices_[vertex];
  fusion::PlanEvent event{
      fusion::PlanEvent::Kind::Ancestor, {node(vertex)}, fusion::Reason::Fused, {}, {}};
  constexpr std::size_t most = 64;  // of a climb, to show; a long one says no more
  for (std::size_t i = 0; i < std::min(most, climbed.size()); ++i)
    event.nodes.push_back(node(climbed[i]));
  event.numbers = {{"consumers seen", static_cast<double>(consumers)},
                   {"consumers", static_cast<double>(entry.edges.size())},
                   {"pattern", static_cast<double>(entry.joined)}};
  event.condition = fmt::format("path kind = {}", fusion::name(entry.joined));
  if (ancestor != none) event.other = node(ancestor);
  if (entry.is_result) {
    event.sentence = fmt::format("{} is a result of the network, so no operator post-dominates it.",
                                 name(vertex));
  } else {
    const Edge& edge = entry.edges[consumers - 1];
    const std::string via = fmt::format("{} is read by {} (the edge is {})", name(vertex),
                                        name(edge.consumer), fusion::name(edge.kind));
    event.sentence =
        ancestor == none
            ? fmt::format("{}; no operator lies on every path from there to the results.", via)
            : fmt::format("{}; {} {}, and the kinds on the path join to {}.", via,
                          consumers == 1 ? "the path leads through" : "all paths so far meet at",
                          name(ancestor), fusion::name(entry.joined));
  }
  events_->push_back(std::move(event));
}

}  // namespace loopglass::passes
