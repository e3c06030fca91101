// Computes values again near their late uses, so that they need not be kept while memory is scarce.
//
//   v = f(x); peak(...); w = g(v)      =>      v = f(x); peak(...); v' = f(x); w = g(v')
//
// Does nothing without a memory limit. With one, as long as the intermediates of the plan that the
// graph would get (passes/graph/memory_estimate.h) take more: of the values that are kept over the
// fullest moment without being used in it, the one that costs the fewest operations per byte saved
// is computed again. Costly operators (convolutions, products of matrices, recurrences) are
// repeated only when nothing cheaper helps. A rewrite that the plan does not honour is not made.
//
// Last of the pipeline and in no fixed-point group: what it makes are common subexpressions.
#pragma once

#include "core/graph/graph.h"
#include "core/machine/machine.h"
#include "core/pass/pass.h"

namespace loopglass::passes {

Result<graph::Graph> recompute(const graph::Graph& graph, pass::Report& report,
                               const Machine& machine);
pass::Words recompute_words();

}  // namespace loopglass::passes
