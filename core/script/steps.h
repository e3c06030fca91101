// The states a loop nest goes through under a schedule, one a primitive. Each state is a whole
// Func, and most are never looked at: they are made, all of them, when somebody first asks for one.
#pragma once

#include "core/script/trace.h"

#include <memory>

namespace loopglass::schedule {

class Steps {
 public:
  Steps() = default;
  // `last`: what the trace, which is legal, makes of `initial`.
  Steps(loop::Func initial, Trace trace, loop::Func last);
  explicit Steps(std::vector<ScheduleStep> steps);  // as they are

  bool empty() const { return size() == 0; }
  std::size_t size() const;
  const loop::Func& last() const;  // CHECKs that there is one
  // These look at states.
  const ScheduleStep& operator[](std::size_t step) const { return all()[step]; }
  std::vector<ScheduleStep>::const_iterator begin() const { return all().begin(); }
  std::vector<ScheduleStep>::const_iterator end() const { return all().end(); }

 private:
  const std::vector<ScheduleStep>& all() const;

  struct State;
  std::shared_ptr<State> state_;  // shared by copies; null: no steps
};

}  // namespace loopglass::schedule
