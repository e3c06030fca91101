// A fixed pool for kernels' parallel loops: the calling thread takes part, chunks are handed out
// statically, and workers spin briefly before they sleep, since kernels follow one another closely.
#pragma once

#include "core/codegen/kernel.h"

#include <memory>

namespace loopglass::runtime {

class ThreadPool {
 public:
  explicit ThreadPool(int threads);  // >= 1; 1 means no workers
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;

  int threads() const;
  const codegen::ParallelRuntime* parallel_runtime() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

int hardware_threads();

}  // namespace loopglass::runtime
