// Makes a loop serial where its iterations cannot run as it asks.
//
//   for i in 4 parallel { for j in 8 parallel { ... } }
//     =>    for i in 4 parallel { for j in 8 { ... } }
//   for i in 4 vectorized { for j in 8 vectorized { ... } }
//     =>    for i in 4 { for j in 8 vectorized { ... } }
//
//   for i in 4 blockIdx.x { for j in 8 threadIdx.x { ... } }
//     =>    for i in 4 parallel { for j in 8 { ... } }
//
// Threads and lanes are shared out once: the outermost parallel loop has the threads, the innermost
// vectorised one the lanes, and inside lanes there are no threads. What is bound to the axes of a
// GPU's launch runs here with its blocks as the iterations of a parallel loop. First, since other
// passes decide by the kinds of loops: those that are left are those that code is generated for.
#pragma once

#include "core/pass/runner.h"

namespace loopglass::passes {

Result<loop::Func> demote_loops(const loop::Func& func, pass::Report& report);
pass::Words demote_loops_words();

}  // namespace loopglass::passes
