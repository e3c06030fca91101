// Runs a pipeline: times each pass, verifies its result, records a Step. A pass that breaks the IR
// is named, and the IR before it is printed in the diagnostic.
#pragma once

#include "core/graph/graph.h"
#include "core/loop/func.h"
#include "core/pass/pass.h"

#include <span>

namespace loopglass::pass {

using GraphPass = Pass<graph::Graph>;
using FuncPass = Pass<loop::Func>;
using GraphHistory = History<graph::Graph>;
using FuncHistory = History<loop::Func>;

Result<GraphHistory> run(std::shared_ptr<const graph::Graph> input, std::span<const GraphPass> passes,
                         const Progress& progress = {}, const Cancellation& cancellation = {});
Result<FuncHistory> run(std::shared_ptr<const loop::Func> input, std::span<const FuncPass> passes,
                        const Progress& progress = {}, const Cancellation& cancellation = {});

}  // namespace loopglass::pass
