// A fixed pool for kernels' parallel loops; the calling thread takes part.
//
// A loop is cut into a few chunks for each thread. A thread begins with chunks of its own, the same
// from loop to loop, because what it wrote last is still in its cache; then it takes chunks that
// nobody has begun. So the caller waits for what is being computed, never for a thread that has not
// come to begin: on a busy machine it does their work itself. Which thread computes a chunk changes
// no result. Workers spin briefly before they sleep, since kernels follow one another closely.
#pragma once

#include "core/codegen/kernel.h"

#include <memory>
#include <string>

namespace loopglass::runtime {

class ThreadPool {
 public:
  // So many, the caller's included; fewer where the system makes no more. 1 means no workers.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;

  int threads() const;  // that there are
  // Why there are fewer than were asked for, as a sentence; empty: there are as many.
  const std::string& shortage() const;
  const codegen::ParallelRuntime* parallel_runtime() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// How many threads run at once here (support/machine_processors.h): the default everywhere.
int hardware_threads();

}  // namespace loopglass::runtime
