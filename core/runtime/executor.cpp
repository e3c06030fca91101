#include "core/runtime/executor.h"

namespace loopglass::runtime {

Result<std::unique_ptr<Executor>> Executor::create(std::shared_ptr<const graph::Graph> graph,
                                                   std::vector<KernelInstance> kernels,
                                                   std::shared_ptr<const MemoryPlan> plan) {
  return create({std::move(graph), std::move(kernels), std::move(plan)});
}

Result<std::unique_ptr<Executor>> Executor::create(CompiledNetwork network) {
  TRY_VOID(check_memory_to_run(*network.plan));
  WiredNetwork wired = wire(network);
  std::vector<Tensor> constants(wired.constants.size());
  TRY_VOID(for_each_packed(wired.constants,
                           [&](std::size_t i, const Tensor& packed) { constants[i] = packed; }));
  std::vector<std::shared_ptr<const codegen::CompiledKernel>> code;
  std::vector<std::shared_ptr<OutsideKernel>> outside;
  for (const KernelInstance& kernel : network.kernels) {
    code.push_back(kernel.code);
    outside.push_back(kernel.outside);
  }
  auto loaded = TRY(LoadedNetwork::create(std::move(wired.wiring), std::move(code),
                                          std::move(constants), std::move(outside)));
  return std::unique_ptr<Executor>(new Executor(std::move(network), std::move(loaded)));
}

std::vector<Tensor> random_inputs(const graph::Graph& graph,
                                  const std::map<std::string, Tensor>& known, std::uint64_t seed) {
  std::vector<Tensor> inputs;
  for (const graph::ValueId id : graph.inputs()) {
    const graph::Value& input = graph.value(id);
    const auto given = known.find(input.name);
    inputs.push_back(given != known.end() ? given->second
                                          : random_tensor(input.type, seed + inputs.size()));
  }
  return inputs;
}

}  // namespace loopglass::runtime
