// What the parts of a network cost, rolled up: of operators to kernels, blocks and layers. A kernel
// counts where its anchor is; times of operators inside one kernel cannot be told apart.
#pragma once

#include "core/fusion/plan.h"
#include "core/graph/folding.h"
#include "core/runtime/benchmark.h"

#include <optional>

namespace loopglass {

struct PartCost {
  int operators = 0, kernels = 0;
  std::int64_t flops = 0;  // arithmetic of its operators
  std::int64_t bytes = 0;  // of operators' results
  // Sum of its kernels' medians; nothing where none of them was timed.
  std::optional<double> milliseconds;

  PartCost& operator+=(const PartCost& other);
};

struct PartCosts {
  std::vector<PartCost> items;  // of the folding
  std::vector<PartCost> folds;
  PartCost all;
};
// `timings` of a benchmark of the plan; null: nothing has been timed.
PartCosts part_costs(const graph::Folding& folding, const graph::Graph& graph,
                     const fusion::Plan& plan, const runtime::BenchmarkReport* timings);

// Parts are the plan's kernels, named by what their anchors are called.
graph::Parts kernels_as_parts(const fusion::Plan& plan, const graph::Graph& graph);

}  // namespace loopglass
