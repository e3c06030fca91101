#include "core/debug/value_layouts.h"

#include "core/ops/concatenation.h"
#include "core/ops/layout_forms.h"

namespace loopglass::debug {

namespace {

// Whether the operator leaves its operands' dimensions in their order.
bool keeps_layout(const graph::Node& node, std::size_t rank) {
  using enum ops::Family;
  const ops::Family family = node.op->family;
  return family == Elementwise || family == Activation || family == Comparison ||
         ops::concatenation_axis(*node.op, node.attributes, rank);
}

}  // namespace

std::map<graph::ValueId, Layout> value_layouts(const graph::Graph& graph) {
  std::map<graph::ValueId, Layout> layouts;
  for (const graph::NodePtr& node : graph.nodes()) {
    if (const auto own = ops::result_layout_of(*node->op, node->attributes)) {
      if (!own->is_plain()) layouts.emplace(node->outputs.front(), *own);
      continue;
    }
    const std::size_t rank = graph.value(node->outputs.front()).type.shape.size();
    if (layouts.empty() || !keeps_layout(*node, rank)) continue;
    for (const graph::ValueId input : node->inputs) {
      const auto found = layouts.find(input);
      if (found == layouts.end() || found->second.dimensions().size() != rank) continue;
      const Layout layout = found->second;
      for (const graph::ValueId output : node->outputs) layouts.emplace(output, layout);
      break;
    }
  }
  return layouts;
}

}  // namespace loopglass::debug
