// A node as a weighted sum (core/ops/weighted_sum.h).
#pragma once

#include "core/graph/graph.h"
#include "core/ops/weighted_sum.h"

namespace loopglass::passes {

// Nothing where it is none.
inline std::optional<ops::WeightedSum> weighted_sum_of(const graph::GraphBuilder& graph,
                                                       const graph::Node& node) {
  if (node.op->family != ops::Family::Convolution && node.op->family != ops::Family::MatrixProduct)
    return std::nullopt;
  std::vector<const TensorType*> types;
  for (const graph::ValueId input : node.inputs)
    types.push_back(input ? &graph.value(input).type : nullptr);
  return ops::weighted_sum_of(*node.op, types, node.attributes);
}

}  // namespace loopglass::passes
