// Computes once what is computed twice: operators with the same operator, attributes, types and
// operands, and constants of the same type and bytes.
//
//   a = Add(x, y); b = Add(y, x); z = Mul(a, b)    =>    a = Add(x, y); z = Mul(a, a)
//
// Operands of commutative operators count in any order. Every operator is a function of its
// operands: what draws random numbers is refused before it comes into a graph.
//
// After constant folding and simplification, which make more things equal.
#pragma once

#include "core/pass/runner.h"

namespace loopglass::passes {

Result<graph::Graph> merge_common_subexpressions(const graph::Graph& graph, pass::Report& report);
pass::Words merge_common_subexpressions_words();

}  // namespace loopglass::passes
