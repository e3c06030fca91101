// Schedules that a person wrote, as text that is kept: a script, and the loop nest that it is for.
// A nest is known by a digest of its nameless form, its workload, so that a script comes back with
// the kernel wherever it stands, under whatever name, and in whatever plan.
#pragma once

#include "core/kernel/schedules.h"

#include <map>
#include <string>

namespace loopglass {

struct SavedSchedule {
  std::string kernel;    // what it was called when it was scheduled
  std::string workload;  // 16 digits
  std::string script;
  friend bool operator==(const SavedSchedule&, const SavedSchedule&) = default;
};

// 16 digits, by which times are known to be of these (MeasuredOf::schedules); nothing of none.
std::optional<std::string> schedules_digest(const std::vector<SavedSchedule>& schedules);

// Loop nests before anything is scheduled, as text, by their digests.
using Workloads = std::map<std::string, std::string>;

// What it says. TextMalformed, FuncInvalid (of the nest),
// SessionCorrupt: with the kernel's name and the line.
Result<kernel::Schedules::Own> read_schedule(const SavedSchedule& schedule,
                                             const Workloads& workloads);
// Whether its script is legal, too: runs it. ScheduleIllegal and its like.
Result<void> check_schedule(const SavedSchedule& schedule, const Workloads& workloads);

}  // namespace loopglass
