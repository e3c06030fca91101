// Where a thread is, looked at by a timer some thousand times a second: a profiler of sampling (S.
// Graham, P. Kessler, M. McKusick, "gprof", SIGPLAN 1982, has the idea), down to the instruction.
// Needs no counters of the hardware, which many machines hide.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace loopglass::measure {

class Sampler {
 public:
  // Of the calling thread, from now on; one of them in a process at a time. At intervals that are
  // random around `microseconds`, so that a loop of the same length is not met at one place. Where
  // the system gives no timer, nothing is sampled.
  explicit Sampler(int microseconds = 100, std::size_t at_most = 100'000);
  ~Sampler();
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  // Ends it: the addresses of the instructions that the thread was about to complete.
  std::vector<std::uintptr_t> take();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace loopglass::measure
