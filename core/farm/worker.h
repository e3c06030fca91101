// A worker of a farm: takes a job, measures it, gives the result; one at a time.
#pragma once

#include "core/farm/queue.h"

namespace loopglass::farm {

// A job that was given to so many workers, none of which came back, is done by no further one.
inline constexpr int most_deliveries = 2;

struct WorkerSettings {
  std::string name;  // letters, digits, '-' and '_'
  Capability capability;
  Machine machine;
  std::uint64_t jobs = 0;  // after so many it ends; 0: it goes on
  // How long it tries again where the server does not answer.
  std::chrono::milliseconds patience = std::chrono::hours(24);
};

// Sentences for whoever watches.
using Say = std::function<void(const std::string&)>;

// Until it is cancelled, or has done its jobs. FarmRefused, and FarmUnreachable where the server
// does not come back.
Result<void> work(Queue& queue, tune::Measurer& measurer, const WorkerSettings& settings,
                  const Say& say, const Cancellation& cancellation);

// Turns what a person wrote, or a host is called, into such a name.
std::string worker_name(std::string_view text);

}  // namespace loopglass::farm
