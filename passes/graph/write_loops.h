// Operators that a tensor expression can only describe as a search, as the loop nest that a person
// would write: TopK keeps the best so far in order, ScatterElements and ScatterND store where data
// says.
//
//   TopK(x)  =>  LoopNest(x) of the text in written_loops/top_k.h
//
// A tensor expression says where each element of a result comes from. Which one comes k-th, or
// which update points at an element, it finds by looking at all of them; a loop nest may store at
// places that data names, and change what it has stored.
#pragma once

#include "core/pass/runner.h"

namespace loopglass::passes {

Result<graph::Graph> write_loops(const graph::Graph& graph, pass::Report& report);
pass::Words write_loops_words();

}  // namespace loopglass::passes
