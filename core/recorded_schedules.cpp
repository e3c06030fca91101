#include "core/recorded_schedules.h"

#include "core/loop/text.h"
#include "core/runtime/thread_pool.h"
#include "core/tuning_task.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace loopglass {

namespace {

const tune::Record* best_for(const tune::Records& records, const std::string& workload,
                             tune::Conditions conditions) {
  std::set<int> others;
  for (const tune::Record& record : records.records)
    if (record.workload == workload) others.insert(record.conditions.threads);
  std::vector<int> order{runtime::hardware_threads(), 1};
  order.insert(order.end(), others.begin(), others.end());
  for (const int threads : order) {
    conditions.threads = threads;
    if (const tune::Record* best = tune::best_of(records, workload, conditions)) return best;
  }
  return nullptr;
}

}  // namespace

Result<RecordedSchedules> recorded_schedules(Session& session, tune::Records records,
                                             const std::string& compiler) {
  const auto plan = TRY(session.plan());
  const Machine& machine = session.toolchain().machine;
  RecordedSchedules found;
  std::set<std::string> seen;
  for (const fusion::Group& group : plan->groups) {
    const auto kernel = session.initial_kernel(group.id);
    if (!kernel || (*kernel)->is_view) continue;
    ++found.kernels;
    const tune::Task task = tuning_task((*kernel)->nest, (*kernel)->program, group.name, machine,
                                        runtime::hardware_threads());
    const std::string workload = tune::workload_of(task);
    const tune::Conditions conditions = tune::conditions_of(task, compiler);
    const tune::Record* best = best_for(records, workload, conditions);
    std::optional<kernel::Schedules::Own> own;
    bool is_told = false;  // why it has none
    while (best && !own) {
      auto schedule = tune::schedule_of(records, *best);
      if (schedule) {
        own = *std::move(schedule);
        break;
      }
      std::string note = fmt::format("{}: a record's schedule is passed over: {}", group.name,
                                     schedule.error().what);
      if (std::ranges::find(found.passed_over, note) == found.passed_over.end())
        found.passed_over.push_back(std::move(note));
      is_told = true;
      records.records.erase(records.records.begin() + (best - records.records.data()));
      best = best_for(records, workload, conditions);
    }
    if (!own) {
      found.elsewhere += !is_told && std::ranges::any_of(records.records, [&](const auto& record) {
        return record.workload == workload;
      });
      continue;
    }
    ++found.scheduled;
    if (!seen.insert(workload).second) continue;
    found.older += best->conditions.compiler != compiler;
    found.entries.push_back({group.name, workload, loop::to_text(task.nest), best->script,
                             *std::move(own), best->conditions});
  }
  return found;
}

}  // namespace loopglass
