// Graphs written as one line, for tests of rewrite rules: "Add(Mul(x, 2), [1, 2, 3])".
//
//   x, y, z        inputs of 4 x 12 elements; s, t: of 12; x2, y2: of 12 x 12. "x:int8" has that
//                  type, "x" the formula's
//   2, 2@4x12      a constant number: a scalar, and one of that shape
//   [1, 2]         a constant
//   Neg(x)         an operator; Cast<to=int8>(x) with attributes; _ is an operand left out
//   Neg(x); Abs(x) two results; what is written twice is one node
//
// Every result gets another axis before it leaves the graph, so that the graph's own interface does
// not stand in the way of a rule. `to_formula` writes what there was before that.
#pragma once

#include "core/graph/graph.h"

namespace loopglass::test {

graph::Graph formula(std::string_view text, DataType type);
std::string to_formula(const graph::Graph& graph);

}  // namespace loopglass::test
