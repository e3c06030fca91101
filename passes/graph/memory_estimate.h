// The memory plan a graph would get: fused by the default strategy, scheduled by default. Kernels
// that two graphs have in common are scheduled once.
#pragma once

#include "core/fusion/plan.h"
#include "core/kernel/stages.h"
#include "core/runtime/memory_plan.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace loopglass::passes {

struct MemoryEstimate {
  fusion::Plan groups;
  runtime::MemoryPlan memory;
};

class MemoryEstimator {
 public:
  explicit MemoryEstimator(Machine machine);
  Result<MemoryEstimate> estimate(const graph::Graph& graph);

 private:
  struct Kernel {
    std::vector<graph::NodePtr> nodes;  // kept, so that their addresses name nothing else
    fusion::KernelProgram program;
  };
  Result<const Kernel*> kernel_of(const graph::Graph& graph, const fusion::Group& group);
  Result<runtime::KernelUse> use_of(const graph::Graph& graph, const fusion::Group& group,
                                    const placement::PlacedKernel& placed);

  // What a kernel's default schedule lets be written over what.
  Result<std::vector<schedule::InPlace>> in_place_of(const loop::Func& func);

  kernel::Tools tools_;
  std::unordered_map<std::uint64_t, Kernel> kernels_;
  // By the nameless form of what is scheduled (core/loop/nameless_form.h).
  std::unordered_map<std::string, std::vector<schedule::InPlace>> in_place_;
};

}  // namespace loopglass::passes
