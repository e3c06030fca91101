// Runs a pipeline: times each pass, verifies its result, records a Step. A pass that breaks the IR
// is named, and the IR before it is printed in the diagnostic.
#pragma once

#include "core/graph/graph.h"
#include "core/loop/func.h"
#include "core/pass/pass.h"
#include "core/pass/pipeline.h"

#include <span>

namespace loopglass::pass {

using GraphPass = Pass<graph::Graph>;
using FuncPass = Pass<loop::Func>;
using GraphHistory = History<graph::Graph>;
using FuncHistory = History<loop::Func>;

// What a run goes by, beside its passes.
struct RunOptions {
  Settings settings = {};
  std::optional<StopAfter> stop_after = {};
  Progress progress = {};
  Cancellation cancellation = {};
};

// What the runner itself remarks, of whatever passes.
Words runner_words();

// The passes of `table` that the pipeline names, which must all be there.
Result<GraphHistory> run(std::shared_ptr<const graph::Graph> input,
                         std::span<const GraphPass> table, const Pipeline& pipeline,
                         const RunOptions& options = {});
// All passes, once each, in their order.
Result<GraphHistory> run(std::shared_ptr<const graph::Graph> input,
                         std::span<const GraphPass> passes, const RunOptions& options = {});
Result<FuncHistory> run(std::shared_ptr<const loop::Func> input, std::span<const FuncPass> passes,
                        const RunOptions& options = {});

// One pass, stopped after `rewrites` of its rewrites: the state in the middle of a step. Verified.
Result<Step<graph::Graph>> apply(const GraphPass& pass, std::shared_ptr<const graph::Graph> before,
                                 std::size_t rewrites = Report::all,
                                 const RunOptions& options = {});

}  // namespace loopglass::pass
