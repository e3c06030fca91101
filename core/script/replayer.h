// Runs a schedule one instruction at a time, keeping what its handles stand for. replay() and the
// writer of default schedules are both this.
#pragma once

#include "core/script/settling.h"
#include "core/script/trace.h"
#include "core/support/cancellation.h"

#include <map>
#include <optional>

namespace loopglass::schedule {

class Replayer {
 public:
  explicit Replayer(loop::Func func) : func_(std::move(func)) {}

  // The step made, or nothing for a look-up. On failure nothing has changed.
  Result<std::optional<ScheduleStep>> run(const Instruction& instruction);

  const loop::Func& func() const { return func_; }
  // The block, loop or buffer a handle is bound to; where no line has bound it, the one that the
  // nest calls so. ScheduleHandleUnknown.
  Result<std::string> name_of(const std::string& handle) const;
  bool bound(const std::string& handle) const {
    return names_.contains(handle) || decided_.knows(handle);
  }

  // The primitive of a line and its arguments, all by their names in the nest.
  Result<std::pair<const Primitive*, std::vector<Argument>>> call_of(
      const Instruction& instruction) const;
  // The parts of run, for who must see what a primitive makes before naming it.
  Result<Argument> resolve(const ScriptArgument& argument, ParameterKind kind) const;
  Result<void> adopt(const Instruction& instruction, Applied applied);

 private:
  Result<std::string> named(const Handle& handle, ParameterKind kind) const;
  Result<std::vector<std::string>> look_up(const Instruction& instruction) const;
  Result<void> decide(const Instruction& instruction);
  Result<void> bind(const Instruction& instruction, const std::vector<std::string>& made);

  loop::Func func_;
  std::map<std::string, std::string> names_;
  Settling decided_;
};

// replay() of trace.h that can be stopped between two instructions: Cancelled.
Result<std::vector<ScheduleStep>> replay(const loop::Func& func, const Trace& trace,
                                         const Cancellation& cancellation);

// After the lines of a text up to `line` (from 1; 0: after none). What is wrong with one of them,
// Cancelled.
Result<Replayer> replayed(const loop::Func& func, std::string_view text, int line,
                          const Cancellation& cancellation = {});

// Instructions that only bind: block, loops and buffer, and those of sampling.h.
bool is_look_up(std::string_view primitive);

}  // namespace loopglass::schedule
