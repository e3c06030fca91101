// A script while somebody writes it: what its lines make of a nest, as far as they are right, and
// the first that is not.
#pragma once

#include "core/dependence/witness.h"
#include "core/script/trace.h"
#include "core/support/cancellation.h"

namespace loopglass::schedule {

struct CheckedScript {
  struct Step {
    int line;  // of the text, from 1
    ScheduleStep made;
  };
  std::vector<Step> steps;
  std::optional<Diagnostic> problem;  // of the first line that is wrong
  int problem_line = 0;
  Search search = {};  // for two iterations that are in its way

  // How many of the steps the lines up to this one have made.
  std::size_t steps_up_to(int line) const;
};

// Cancelled.
Result<CheckedScript> check_script(const loop::Func& nest, std::string_view text,
                                   const Cancellation& cancellation = {});

}  // namespace loopglass::schedule
