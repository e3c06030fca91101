#include "passes/graph/remove_dead_code.h"

#include "core/ops/opaque.h"

#include <fmt/format.h>
#include <algorithm>

namespace loopglass::passes {

namespace {

// ONNX's own operators do nothing but compute their results, control flow included; what one of
// another domain does besides, nobody knows.
bool keeps_unread(const graph::Node& node) {
  return is_opaque(node) && !ops::is_pure(node.attributes);
}

}  // namespace

Result<graph::Graph> remove_dead_code(const graph::Graph& graph, pass::Report& report) {
  graph::GraphBuilder builder(graph);
  // Consumers first, so one sweep clears whole chains.
  for (auto position = graph.nodes().rbegin(); position != graph.nodes().rend(); ++position) {
    if (!report.may_rewrite()) break;
    const graph::Node& node = **position;
    const bool live = std::any_of(node.outputs.begin(), node.outputs.end(),
                                  [&](graph::ValueId output) { return builder.is_used(output); });
    if (live || keeps_unread(node)) continue;
    builder.remove_node(node.id);
    report.rewrite({"dead-operator",
                    {node.id.value},
                    {},
                    fmt::format("nothing needs {} ({})", node.name, operator_name(node))});
  }
  builder.remove_unused_constants();
  return std::move(builder).finish();
}

pass::Words remove_dead_code_words() {
  return {
      {pass::Word::Kind::Rule, "dead-operator", "An operator whose results nothing reads goes."}};
}

}  // namespace loopglass::passes
