// What records have for the kernels of a network: the fastest schedule of each that was measured on
// a machine like this one.
#pragma once

#include "core/session.h"
#include "core/tune/record.h"

namespace loopglass {

struct RecordedSchedules {
  struct Entry {
    std::string kernel, workload;  // a name that has it, and what it computes
    std::string nest, script;      // texts
    kernel::Schedules::Own own;    // the same, to be handed to a session
    tune::Conditions conditions;   // that it was measured under
  };
  std::vector<Entry> entries;  // one a workload
  std::size_t kernels = 0;     // that are run
  std::size_t scheduled = 0;   // of which so many have an entry
  std::size_t older = 0;       // entries measured with code of other sources
  std::size_t elsewhere = 0;   // kernels that only machines, targets or extents unlike ours have
  std::vector<std::string> passed_over;  // "conv1: a record's schedule is passed over: why"
};

// `compiler`: a digest of our sources. What was measured with all threads goes before one thread
// before others. What Session::plan says.
Result<RecordedSchedules> recorded_schedules(Session& session, tune::Records records,
                                             const std::string& compiler);

}  // namespace loopglass
