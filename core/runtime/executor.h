// Runs a compiled network in this process: kernels in the plan's order over one arena.
#pragma once

#include "core/fusion/kernel.h"
#include "core/runtime/loaded_network.h"

#include <map>
#include <memory>

namespace loopglass::runtime {

class Executor {
 public:
  // Packs constants and allocates what `plan`, made for these kernels, says. Constants are shared
  // with the graph when they need no packing. OutOfMemory, before anything is allocated, when a run
  // would take more than the machine has.
  static Result<std::unique_ptr<Executor>> create(std::shared_ptr<const graph::Graph> graph,
                                                  std::vector<KernelInstance> kernels,
                                                  std::shared_ptr<const MemoryPlan> plan);
  static Result<std::unique_ptr<Executor>> create(CompiledNetwork network);

  // Inputs in the graph's order; types must match (InputMismatch says which does not). The results
  // are fresh tensors in the order of the graph's outputs. Not reentrant.
  Result<std::vector<Tensor>> run(std::span<const Tensor> inputs, ThreadPool& pool) {
    return loaded_->run(inputs, pool);
  }
  // The same into tensors that the caller keeps from run to run, of the outputs' types and in no
  // other's memory: fresh ones cost their page faults. Times each kernel on request (nanoseconds,
  // in kernel order; of one that is missing, what putting random numbers there took).
  Result<void> run_into(std::span<Tensor> outputs, std::span<const Tensor> inputs, ThreadPool& pool,
                        std::vector<std::int64_t>* nanoseconds = nullptr) {
    return loaded_->run_into(outputs, inputs, pool, nanoseconds);
  }
  Result<std::vector<Tensor>> allocate_outputs() const { return loaded_->allocate_outputs(); }

  const CompiledNetwork& network() const { return network_; }
  LoadedNetwork& loaded() { return *loaded_; }
  const MemoryPlan& memory_plan() const { return *network_.plan; }
  const std::vector<KernelInstance>& kernels() const { return network_.kernels; }
  const graph::Graph& graph() const { return *network_.graph; }

 private:
  Executor(CompiledNetwork network, std::unique_ptr<LoadedNetwork> loaded)
      : network_(std::move(network)), loaded_(std::move(loaded)) {}

  CompiledNetwork network_;
  std::unique_ptr<LoadedNetwork> loaded_;
};

// Uniform random tensor; integers in a small range, Bool fair; the same for the same seed.
Tensor random_tensor(const TensorType& type, std::uint64_t seed);
// One for each input of a graph, in their order: what is known by its name, else random.
std::vector<Tensor> random_inputs(const graph::Graph& graph,
                                  const std::map<std::string, Tensor>& known = {},
                                  std::uint64_t seed = 1);

// Random numbers in the place of what an opaque operator would give: the same for the same value
// wherever it is asked for, so that what follows from it can be compared.
Tensor stand_in_for(const graph::Value& value);

// Largest |a - b| <= absolute + relative * |b| over all elements, NaN equal to NaN. The message
// names the first element that differs and how many do.
Result<void> compare(const Tensor& actual, const Tensor& expected, double absolute,
                     double relative);

}  // namespace loopglass::runtime
