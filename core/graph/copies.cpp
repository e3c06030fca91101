#include "core/graph/copies.h"

#include "core/graph/program.h"
#include "core/ops/copies.h"

namespace loopglass::graph {

bool is_copy(const Graph& graph, const Node& node) {
  if (node.inputs.size() != 1 ||
      graph.value(node.inputs.front()).type != graph.value(node.outputs.front()).type)
    return false;
  const auto program = program_of(graph, node);
  return program && ops::copies_input(*program);
}

}  // namespace loopglass::graph
