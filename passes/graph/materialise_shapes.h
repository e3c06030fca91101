// Replaces operators whose results follow from types and attributes alone by constants, before any
// data is known.
//
//   s = Shape(x: float32[1x3x8x8])    =>    const s = [1, 3, 8, 8]
//
// First in the pipeline: what it makes feeds constant folding.
#pragma once

#include "core/pass/runner.h"

namespace loopglass::passes {

Result<graph::Graph> materialise_shapes(const graph::Graph& graph, pass::Report& report);

}  // namespace loopglass::passes
