#include "core/fusion/edge_kind.h"

namespace loopglass::fusion {

PatternKind edge_kind(const BlockRules& rules, graph::ValueId value, std::size_t reader) {
  const graph::Graph& graph = rules.graph();
  const graph::Node& node = *graph.nodes()[reader];
  const PatternKind kind = rules.relay_kind(reader);
  if (takes_tuple(*node.op, kind)) return PatternKind::Injective;
  const bool same_shape =
      graph.value(value).type.shape == graph.value(node.outputs.front()).type.shape;
  return kind == PatternKind::Broadcast && same_shape ? PatternKind::Elementwise : kind;
}

}  // namespace loopglass::fusion
