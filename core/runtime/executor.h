// Runs a compiled network: kernels in the plan's order over one arena.
#pragma once

#include "core/codegen/kernel.h"
#include "core/fusion/kernel.h"
#include "core/runtime/memory_plan.h"
#include "core/runtime/thread_pool.h"

#include <memory>

namespace loopglass::runtime {

struct KernelInstance {
  fusion::GroupId group;
  std::string name;
  std::shared_ptr<const codegen::CompiledKernel> code;  // null: nothing is left to compute
  KernelUse use;
  std::int64_t flops = 0;                  // of one run
  std::vector<std::int64_t> extents = {};  // that the code's symbols stand for, in order
  // Why there can be no code: random numbers take the place of its results, so that the kernels
  // around it can be timed, and what comes out means nothing.
  std::optional<Diagnostic> missing = {};
};

class Executor {
 public:
  // Packs constants and allocates what `plan`, made for these kernels, says. Constants are shared
  // with the graph when they need no packing. OutOfMemory, before anything is allocated, when a run
  // would take more than the machine has.
  static Result<std::unique_ptr<Executor>> create(std::shared_ptr<const graph::Graph> graph,
                                                  std::vector<KernelInstance> kernels,
                                                  std::shared_ptr<const MemoryPlan> plan);

  // Inputs in the graph's order; types must match (InputMismatch says which does not). The results
  // are fresh tensors in the order of the graph's outputs. Not reentrant.
  Result<std::vector<Tensor>> run(std::span<const Tensor> inputs, ThreadPool& pool);
  // The same into tensors that the caller keeps from run to run, of the outputs' types and in no
  // other's memory: fresh ones cost their page faults. Times each kernel on request (nanoseconds,
  // in kernel order; of one that is missing, what putting random numbers there took).
  Result<void> run_into(std::span<Tensor> outputs, std::span<const Tensor> inputs, ThreadPool& pool,
                        std::vector<std::int64_t>* nanoseconds = nullptr);
  Result<std::vector<Tensor>> allocate_outputs() const;

  const MemoryPlan& memory_plan() const { return *plan_; }
  const std::vector<KernelInstance>& kernels() const { return kernels_; }
  const graph::Graph& graph() const { return *graph_; }

 private:
  // An argument whose address changes from run to run.
  struct Patch {
    std::size_t kernel, argument;
    std::size_t index;    // of the graph input or output
    std::int64_t offset;  // in bytes
  };

  Executor() = default;
  void pack_constants();
  void make_stand_ins();
  void stand_in(std::size_t kernel) const;
  void check_order() const;
  void bind_arguments();
  Result<void> check_inputs(std::span<const Tensor> inputs) const;
  void copy_other_outputs(std::span<Tensor> outputs, std::span<const Tensor> inputs) const;

  std::shared_ptr<const graph::Graph> graph_;
  std::vector<KernelInstance> kernels_;
  std::shared_ptr<const MemoryPlan> plan_;
  // Per kernel, per argument; undefined where not constant.
  std::vector<std::vector<Tensor>> constants_;
  std::vector<std::vector<void*>> addresses_;  // the same; null where patched
  // As constants_: results of kernels that are missing.
  std::vector<std::vector<Tensor>> stand_ins_;
  std::vector<Patch> input_patches_, output_patches_;
  Tensor arena_, workspace_;
};

// Uniform random tensor; integers in a small range, Bool fair; the same for the same seed.
Tensor random_tensor(const TensorType& type, std::uint64_t seed);

// Random numbers in the place of what an opaque operator would give: the same for the same value
// wherever it is asked for, so that what follows from it can be compared.
Tensor stand_in_for(const graph::Value& value);

// Largest |a - b| <= absolute + relative * |b| over all elements, NaN equal to NaN. The message
// names the first element that differs and how many do.
Result<void> compare(const Tensor& actual, const Tensor& expected, double absolute,
                     double relative);

}  // namespace loopglass::runtime
