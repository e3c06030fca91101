#include "core/script/steps.h"

#include "core/script/replayer.h"
#include "core/support/check.h"

#include <algorithm>
#include <mutex>

namespace loopglass::schedule {

struct Steps::State {
  loop::Func initial;
  Trace trace;
  loop::Func last;
  std::size_t count = 0;
  std::once_flag replayed;
  std::vector<ScheduleStep> steps;
};

Steps::Steps(loop::Func initial, Trace trace, loop::Func last) : state_(std::make_shared<State>()) {
  state_->count = static_cast<std::size_t>(std::ranges::count_if(
      trace.instructions,
      [](const Instruction& instruction) { return !is_look_up(instruction.primitive); }));
  state_->initial = std::move(initial);
  state_->trace = std::move(trace);
  state_->last = std::move(last);
}

Steps::Steps(std::vector<ScheduleStep> steps) {
  if (steps.empty()) return;
  state_ = std::make_shared<State>();
  state_->count = steps.size();
  state_->last = steps.back().func;
  std::call_once(state_->replayed, [&] { state_->steps = std::move(steps); });
}

std::size_t Steps::size() const { return state_ ? state_->count : 0; }

const loop::Func& Steps::last() const {
  CHECK(!empty(), "the last step of a schedule without steps");
  return state_->last;
}

const std::vector<ScheduleStep>& Steps::all() const {
  static const std::vector<ScheduleStep> none;
  if (!state_) return none;
  std::call_once(state_->replayed, [this] {
    auto steps = replay(state_->initial, state_->trace);
    CHECK(steps && steps->size() == state_->count,
          "a schedule that was legal: " + (steps ? "" : to_string(steps.error())));
    state_->steps = *std::move(steps);
  });
  return state_->steps;
}

}  // namespace loopglass::schedule
