#include "app/common/tuning_records.h"

#include "core/compiler_version.h"
#include "core/recorded_schedules.h"
#include "core/support/counted.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

namespace loopglass::app {

void print_passed_over(const tune::Records& records, const std::string& file) {
  constexpr std::size_t most = 5;
  for (std::size_t i = 0; i < std::min(most, records.passed_over.size()); ++i)
    fmt::print(stderr, "note: {}, {}; it is passed over\n", file, records.passed_over[i]);
  if (records.passed_over.size() > most)
    fmt::print(stderr, "note: {} more lines of {} are passed over\n",
               records.passed_over.size() - most, file);
}

Result<void> apply_records(Session& session, const std::vector<std::string>& files) {
  if (files.empty()) return {};
  tune::Records records;
  for (const std::string& file : files) {
    tune::Records read = TRY(tune::read_records(file));
    print_passed_over(read, file);
    records.add(std::move(read));
  }
  RecordedSchedules found =
      TRY(recorded_schedules(session, std::move(records), std::string(compiler_version)));
  for (const std::string& note : found.passed_over) fmt::print(stderr, "note: {}\n", note);
  std::set<int> threads;
  for (RecordedSchedules::Entry& entry : found.entries) {
    threads.insert(entry.conditions.threads);
    session.set_schedule(entry.own.nest, std::move(entry.own.trace));
  }
  fmt::print(stderr, "note: {} of {} scheduled by records{}\n", found.scheduled,
             counted(found.kernels, "kernel"),
             threads.empty()
                 ? ""
                 : fmt::format(" that were measured on {} thread{}", fmt::join(threads, " or "),
                               threads == std::set<int>{1} ? "" : "s"));
  if (found.elsewhere > 0)
    fmt::print(stderr,
               "note: of {} there are only records of other machines, targets or extents, or of "
               "trials that failed or were left early\n",
               counted(found.elsewhere, "kernel"));
  if (found.older > 0)
    fmt::print(stderr,
               "note: {} measured with code of another version of Loopglass: it may be no longer "
               "the fastest\n",
               found.older == 1 ? "1 was" : fmt::format("{} were", found.older));
  return {};
}

}  // namespace loopglass::app
