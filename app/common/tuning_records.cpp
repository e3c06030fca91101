#include "app/common/tuning_records.h"

#include "core/compiler_version.h"
#include "core/support/counted.h"
#include "core/tuning_task.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>

namespace loopglass::app {

tune::Conditions conditions_of(const Session& session, int threads) {
  const Machine& machine = session.toolchain().machine;
  return {machine.processor, machine.name, std::string(compiler_version), threads};
}

void print_passed_over(const tune::Records& records, const std::string& file) {
  constexpr std::size_t most = 5;
  for (std::size_t i = 0; i < std::min(most, records.passed_over.size()); ++i)
    fmt::print(stderr, "note: {}, {}; it is passed over\n", file, records.passed_over[i]);
  if (records.passed_over.size() > most)
    fmt::print(stderr, "note: {} more lines of {} are passed over\n",
               records.passed_over.size() - most, file);
}

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

Result<void> apply_records(Session& session, const std::vector<std::string>& files) {
  if (files.empty()) return {};
  tune::Records records;
  for (const std::string& file : files) {
    tune::Records read = TRY(tune::read_records(file));
    print_passed_over(read, file);
    records.add(std::move(read));
  }
  const auto plan = TRY(session.plan());
  std::size_t kernels = 0, scheduled = 0, older = 0, elsewhere = 0;
  std::set<int> threads;
  std::set<std::string> seen;
  for (const fusion::Group& group : plan->groups) {
    const auto stages = session.kernel(group.id);
    if (!stages || (*stages)->is_view) continue;
    ++kernels;
    const tune::Task task =
        tuning_task(**stages, group.name, session.toolchain().machine, runtime::hardware_threads());
    const std::string workload = tune::workload_of(task);
    tune::Conditions conditions = conditions_of(session, task.threads);
    conditions.symbols = task.symbols;
    const tune::Record* best = best_for(records, workload, conditions);
    std::optional<kernel::Schedules::Own> own;
    while (best && !own) {
      auto schedule = tune::schedule_of(records, *best);
      if (schedule) {
        own = *std::move(schedule);
        break;
      }
      fmt::print(stderr, "note: {}: a record's schedule is passed over: {}\n", group.name,
                 schedule.error().what);
      const auto place = best - records.records.data();
      records.records.erase(records.records.begin() + place);
      best = best_for(records, workload, conditions);
    }
    if (!own) {
      elsewhere += std::ranges::any_of(
          records.records, [&](const tune::Record& record) { return record.workload == workload; });
      continue;
    }
    ++scheduled;
    if (!seen.insert(workload).second) continue;
    threads.insert(best->conditions.threads);
    older += best->conditions.compiler != conditions.compiler;
    session.set_schedule(*std::move(own));
  }
  fmt::print(stderr, "note: {} of {} scheduled by records{}\n", scheduled,
             counted(kernels, "kernel"),
             threads.empty()
                 ? ""
                 : fmt::format(" that were measured on {} thread{}", fmt::join(threads, " or "),
                               threads == std::set<int>{1} ? "" : "s"));
  if (elsewhere > 0)
    fmt::print(stderr,
               "note: of {} there are only records of other machines, targets or extents, or that "
               "were left early\n",
               counted(elsewhere, "kernel"));
  if (older > 0)
    fmt::print(stderr,
               "note: {} measured with code of another version of Loopglass: it may be no longer "
               "the fastest\n",
               older == 1 ? "1 was" : fmt::format("{} were", older));
  return {};
}

}  // namespace loopglass::app
