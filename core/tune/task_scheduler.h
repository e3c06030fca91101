// Which kernel of a network gets the next trials: the one whose time, as often as it is run,
// promises to fall most (Ansor's task scheduler: Zheng et al., OSDI 2020, section 6; without what
// it foretells from similar kernels, of which a network has few that are not equal).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace loopglass::tune {

struct TaskProgress {
  int times = 1;                // how often a run of the network computes it
  std::vector<double> best_ms;  // after each round, the default schedule's first
  bool is_done = false;         // nothing is left to propose, or patience is at its end
};

struct NextTask {
  std::size_t task;
  double gradient;  // milliseconds of the network that a round promises, less than 0
  std::string why;  // a sentence
};
// nullopt: all are done. Each task has a round first, those that take longest before others.
std::optional<NextTask> next_task(std::span<const TaskProgress> tasks);

}  // namespace loopglass::tune
