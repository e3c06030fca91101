// What scales and shifts the same numbers several times over does it once.
//
//   ((x - mean) / sqrt(var + epsilon) * gamma + beta) * s    =>    x * f + t
//
// Products, quotients, sums and differences with constants, and batch normalisations by stored
// statistics, in a row of whose results nothing else is needed. The constants meet in double
// precision and are rounded once; results differ by rounding.
#pragma once

#include "core/pass/runner.h"

namespace loopglass::passes {

Result<graph::Graph> merge_scales(const graph::Graph& graph, pass::Report& report);
pass::Words merge_scales_words();

}  // namespace loopglass::passes
