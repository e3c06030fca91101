#include "core/tune/task_scheduler.h"

#include "core/support/readable_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace loopglass::tune {

namespace {

constexpr double alpha = 0.2;      // how much the past counts against what might be
constexpr std::size_t window = 3;  // rounds that the past is taken of

// Kernels that take less of the network than this are not worth their first round.
constexpr double least_share = 0.002;

// As it fell lately, and as it would if it went on falling as since the beginning: so much the
// less, the longer that is.
double gradient_of(const TaskProgress& task) {
  const double now = task.best_ms.back();
  const auto rounds = static_cast<double>(task.best_ms.size() - 1);
  const std::size_t back = std::min(window, task.best_ms.size() - 1);
  const double past = task.best_ms[task.best_ms.size() - 1 - back];
  const double backward = back == 0 ? 0 : (now - past) / static_cast<double>(back);
  return task.times * (alpha * backward - (1 - alpha) * now / std::max(1.0, rounds));
}

}  // namespace

std::optional<NextTask> next_task(std::span<const TaskProgress> tasks) {
  double network = 0;
  for (const TaskProgress& task : tasks) network += task.times * task.best_ms.back();
  std::optional<NextTask> first;
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    if (tasks[t].is_done || tasks[t].best_ms.size() > 1) continue;
    const double share = tasks[t].times * tasks[t].best_ms.back() / network;
    if (share < least_share) continue;
    if (!first || -share * network < first->gradient)
      first = NextTask{t, -share * network,
                       fmt::format("first round: {:.1f} % of the network", 100 * share)};
  }
  if (first) return first;
  std::optional<NextTask> best;
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    if (tasks[t].is_done || tasks[t].best_ms.size() < 2) continue;
    const double gradient = gradient_of(tasks[t]);
    if (!best || gradient < best->gradient)
      best = NextTask{t, gradient,
                      fmt::format("promises {} of {} a round",
                                  readable_time(Milliseconds(std::max(0.0, -gradient))),
                                  readable_time(Milliseconds(network)))};
  }
  return best;
}

}  // namespace loopglass::tune
