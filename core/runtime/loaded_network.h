// A network that is ready to run: its wiring, with code and memory for everything.
#pragma once

#include "core/runtime/network.h"
#include "core/runtime/thread_pool.h"

#include <functional>
#include <span>

namespace loopglass::runtime {

class LoadedNetwork {
 public:
  // `code`: by kernel, null where the wiring says that there is none. `constants`: as kernels read
  // them. `outside`: by kernel, what runs in the place of code; empty: none does. OutOfMemory.
  static Result<std::unique_ptr<LoadedNetwork>> create(
      Wiring wiring, std::vector<std::shared_ptr<const codegen::CompiledKernel>> code,
      std::vector<Tensor> constants, std::vector<std::shared_ptr<OutsideKernel>> outside = {});

  // As Executor's (executor.h).
  Result<std::vector<Tensor>> run(std::span<const Tensor> inputs, ThreadPool& pool);
  Result<void> run_into(std::span<Tensor> outputs, std::span<const Tensor> inputs, ThreadPool& pool,
                        std::vector<std::int64_t>* nanoseconds = nullptr);
  Result<std::vector<Tensor>> allocate_outputs() const;
  // Before it runs often: what every run walks through comes to lie in huge pages
  // (support/huge_pages.h), as far as three seconds suffice for it, or until that is enough.
  void settle_memory(const std::function<bool()>& is_enough) const;

  const Wiring& wiring() const { return wiring_; }

 private:
  // An argument whose address changes from run to run.
  struct Patch {
    std::size_t kernel, argument;
    std::size_t index;    // of the input or output
    std::int64_t offset;  // in bytes
  };

  LoadedNetwork() = default;
  void bind_arguments();
  void stand_in(std::size_t kernel) const;
  Result<void> check_inputs(std::span<const Tensor> inputs) const;

  Wiring wiring_;
  std::vector<std::shared_ptr<const codegen::CompiledKernel>> code_;
  std::vector<std::shared_ptr<OutsideKernel>> outside_;
  std::vector<Tensor> constants_;
  std::vector<std::vector<void*>> addresses_;  // by kernel and argument; null where patched
  std::vector<Patch> input_patches_, output_patches_;
  Tensor arena_, workspace_;
};

}  // namespace loopglass::runtime
