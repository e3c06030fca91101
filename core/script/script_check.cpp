#include "core/script/script_check.h"

#include "core/script/judge.h"
#include "core/script/replayer.h"

#include <algorithm>

namespace loopglass::schedule {

std::size_t CheckedScript::steps_up_to(int line) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(steps, [line](const Step& step) { return step.line <= line; }));
}

Result<CheckedScript> check_script(const loop::Func& nest, std::string_view text,
                                   const Cancellation& cancellation) {
  ScriptBegun begun = begin_script(text);
  CheckedScript checked;
  Replayer replayer(nest);
  for (const Instruction& instruction : begun.trace.instructions) {
    if (cancellation.requested()) return fail(Code::Cancelled, "checking was cancelled");
    auto step = replayer.run(instruction);
    if (!step) {
      checked.problem = std::move(step).error();
      checked.problem_line = instruction.line;
      checked.search = judge(replayer, instruction, Clash::Show).search;
      return checked;
    }
    if (*step) checked.steps.push_back({instruction.line, **std::move(step)});
  }
  checked.problem = std::move(begun.problem);
  checked.problem_line = begun.problem_line;
  return checked;
}

}  // namespace loopglass::schedule
