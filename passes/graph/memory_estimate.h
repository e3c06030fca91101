// The memory plan a graph would get: fused by the default strategy, scheduled by default. Kernels
// that two graphs have in common are scheduled once.
#pragma once

#include "core/fusion/plan.h"
#include "core/runtime/memory_plan.h"
#include "core/schedule/machine.h"

namespace loopglass::passes {

struct MemoryEstimate {
  fusion::Plan groups;
  runtime::MemoryPlan memory;
};

class MemoryEstimator {
 public:
  MemoryEstimator();
  Result<MemoryEstimate> estimate(const graph::Graph& graph);

 private:
  struct Kernel {
    std::vector<graph::NodePtr> nodes;  // kept, so that their addresses name nothing else
    runtime::KernelUse use;
  };
  Result<const Kernel*> kernel_of(const graph::Graph& graph, const fusion::Group& group);

  schedule::Machine machine_;
  std::unordered_map<std::uint64_t, Kernel> kernels_;
};

}  // namespace loopglass::passes
