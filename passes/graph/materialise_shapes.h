// Replaces operators whose results follow from types and attributes alone by constants, before any
// data is known, and what is computed from such results and other constants.
//
//   s = Shape(x: float32[1x3x8x8]); h = Gather(s, 2); d = Mul(h, 2)    =>    const d = 16
//
// First in the pipeline: what it makes lets shapes and parameters be seen as constants.
#pragma once

#include "core/pass/runner.h"

namespace loopglass::passes {

Result<graph::Graph> materialise_shapes(const graph::Graph& graph, pass::Report& report);
pass::Words materialise_shapes_words();

}  // namespace loopglass::passes
