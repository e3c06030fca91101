// Measuring on the machines of a farm: what is asked is submitted at once, workers take it as they
// can, and every job is answered exactly once, whatever dies meanwhile.
#pragma once

#include "core/farm/queue.h"

#include <set>

namespace loopglass::farm {

class FarmMeasurer : public tune::Measurer {
 public:
  using Say = std::function<void(const std::string&)>;
  // For workers of this kind. `say`: sentences for whoever waits.
  FarmMeasurer(Queue& queue, const Capability& capability, Say say)
      : queue_(queue), capability_(capability.digest()), say_(std::move(say)) {}

  std::vector<tune::Outcome> measure(const tune::Task& task, const std::string& reference,
                                     std::span<const std::string> scripts, double best_ms,
                                     const Cancellation& cancellation,
                                     const tune::OnOutcome& on_outcome) override;
  std::vector<tune::Outcome> measure_in_turns(const tune::Task& task, const std::string& reference,
                                              std::span<const std::string> scripts, int turns,
                                              const Cancellation& cancellation) override;

 private:
  struct Asked;
  class Round;

  Queue& queue_;
  std::string capability_;
  Say say_;
  bool is_listening_ = false;
};

// Of those that are there now, the machine that a tuner's own times may be compared with: its own
// kind, else the only kind there is. FarmWithoutWorkers: none, or several of which none is like it.
// `wanted`: a worker's name whose kind it shall be; empty: none.
Result<WorkerNotice> choose_worker(const std::vector<WorkerNotice>& workers, const Capability& own,
                                   std::string_view wanted);

}  // namespace loopglass::farm
