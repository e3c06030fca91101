// Operators that scale and shift a tensor by constant numbers.
#pragma once

#include "core/graph/graph.h"

namespace loopglass::passes {

// factor * x + offset, where x is one operand of a node.
struct Affine {
  std::size_t operand = 0;
  std::optional<std::size_t> axis;       // along which the numbers differ; none: they are all alike
  std::vector<double> factors, offsets;  // one an index of the axis, or just one

  bool only_shifts() const;  // all factors are one
  bool only_scales() const;  // all offsets are zero
};

// What an elementwise node makes of data and a constant (ops/affine.h); nothing where it is another
// operator, where the constant differs along more than one axis, or where it widens the data.
std::optional<Affine> elementwise_affine(const graph::GraphBuilder& graph, const graph::Node& node);

// The same of a batch normalisation; nothing where it goes by the batch it is given, or where a
// parameter is no constant.
std::optional<Affine> normalising_affine(const graph::GraphBuilder& graph, const graph::Node& node);

// outer(inner(x)), of the inner one's operand; nothing where they differ along different axes.
std::optional<Affine> composed(const Affine& outer, const Affine& inner);

}  // namespace loopglass::passes
