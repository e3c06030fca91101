#include "core/debug/subgraph.h"

#include <algorithm>

namespace loopglass::debug {

using graph::Graph;
using graph::Node;
using graph::ValueId;

std::vector<const Node*> needed_nodes(const Graph& graph, const std::set<ValueId>& wanted) {
  std::set<ValueId> needed = wanted;
  std::vector<const Node*> nodes;
  for (auto node = graph.nodes().rbegin(); node != graph.nodes().rend(); ++node) {
    const auto& outputs = (*node)->outputs;
    if (std::none_of(outputs.begin(), outputs.end(),
                     [&](ValueId id) { return needed.contains(id); }))
      continue;
    nodes.push_back(node->get());
    needed.insert((*node)->inputs.begin(), (*node)->inputs.end());
  }
  std::reverse(nodes.begin(), nodes.end());
  return nodes;
}

Result<Graph> subgraph(const Graph& graph, const std::vector<const Node*>& nodes,
                       std::vector<ValueId> outputs) {
  std::set<graph::NodeId> kept;
  for (const Node* node : nodes) kept.insert(node->id);
  graph::GraphBuilder builder(graph);
  builder.set_outputs(std::move(outputs));
  for (auto node = graph.nodes().rbegin(); node != graph.nodes().rend(); ++node)
    if (!kept.contains((*node)->id)) builder.remove_node((*node)->id);
  builder.remove_unused_constants();
  return std::move(builder).finish();
}

Result<Graph> live_part(const Graph& graph) {
  const std::set<ValueId> wanted(graph.outputs().begin(), graph.outputs().end());
  return subgraph(graph, needed_nodes(graph, wanted), graph.outputs());
}

Toolchain without_graph_passes(Toolchain toolchain) {
  toolchain.graph_passes.clear();
  toolchain.presets.clear();
  return toolchain;
}

onnx::Model model_of(Graph graph) { return {std::move(graph), {}, {}, {}, {}, {}, 0, {}}; }

}  // namespace loopglass::debug
