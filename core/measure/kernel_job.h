// Compiling, running and timing one kernel, in the process that is asked: what a worker does with a
// request.
#pragma once

#include "core/kernel/code_store.h"
#include "core/measure/kernel_inputs.h"
#include "core/measure/request.h"
#include "core/pass/runner.h"
#include "core/runtime/thread_pool.h"

#include <memory>
#include <vector>

namespace loopglass::measure {

class KernelJob {
 public:
  // `cache`: object code on disk; null: none.
  explicit KernelJob(std::vector<pass::FuncPass> loop_passes,
                     std::shared_ptr<codegen::ObjectCache> cache = nullptr);

  // One at a time. A kernel that is wrong may end the process, or never come back.
  Answer operator()(const Request& request);
  // The same from frame to frame.
  Frame operator()(const Frame& request);

 private:
  struct Kernel;
  std::expected<Kernel, Failure> prepare(const Request& request, Spent& spent);
  std::expected<Measured, Failure> run(const Kernel& kernel, const Request& request, Spent& spent);
  // What the reference gives on these numbers.
  std::expected<const std::vector<Tensor>*, Failure> outputs_of(const Reference& reference,
                                                                const Request& request);

  std::vector<pass::FuncPass> loop_passes_;
  std::shared_ptr<codegen::ObjectCache> cache_;
  KernelInputs inputs_;
  std::unique_ptr<runtime::ThreadPool> pool_;  // of the last request
  std::string reference_;                      // the last that was wanted, and what it gave
  std::vector<Tensor> reference_outputs_;
};

}  // namespace loopglass::measure
