#include "tests/schedule/every_step.h"

#include "core/default_schedule/default_schedule.h"
#include "core/loop/text.h"
#include "core/pass/runner.h"
#include "passes/pipeline.h"
#include "tests/schedule/nests.h"

namespace loopglass::schedule {

void expect_every_step_right(const loop::Func& func, const Machine& machine, double tolerance) {
  ASSERT_TRUE(loop::verify(func)) << to_string(loop::verify(func).error());
  const auto scheduled = schedule_by_default(func, machine);
  ASSERT_TRUE(scheduled) << to_string(scheduled.error());
  const Trace* trace = &scheduled->trace;
  const auto steps = replay(func, *trace);
  ASSERT_TRUE(steps) << to_string(steps.error()) << "\n" << to_script(*trace);
  loop::Func current = func;
  for (const ScheduleStep& step : *steps) {
    current = step.func;
    const auto valid = loop::verify(current);
    ASSERT_TRUE(valid) << to_script(step.instruction) << "\n"
                       << to_string(valid.error()) << "\n"
                       << loop::to_text(current);
    ASSERT_TRUE(same_results(func, current, 1, tolerance))
        << "after " << to_script(step.instruction) << " of\n"
        << to_script(*trace);
  }
  // Scheduled nest by nest it is what the script makes of the whole.
  ASSERT_EQ(loop::to_text(scheduled->func), loop::to_text(current)) << to_script(*trace);
  const auto passes = passes::loop_passes();
  const auto history = pass::run(std::make_shared<const loop::Func>(current), passes);
  ASSERT_TRUE(history) << to_string(history.error());
  for (const auto& step : history->steps)
    ASSERT_TRUE(same_results(func, *step.result, 1, tolerance))
        << "after " << step.pass.name << " of\n"
        << to_script(*trace);
  if (std::getenv("SHOW")) std::puts((to_script(*trace) + loop::to_text(history->last())).c_str());
}

}  // namespace loopglass::schedule
