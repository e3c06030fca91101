#include "tests/schedule/scripts.h"

#include "core/default_schedule/default_schedule.h"
#include "core/loop/text.h"
#include "core/script/trace.h"
#include "tests/schedule/nests.h"

namespace loopglass::schedule {

loop::Func parsed(std::string_view text) {
  auto func = loop::parse(text);
  EXPECT_TRUE(func) << (func ? "" : to_string(func.error()));
  return func ? *std::move(func) : loop::Func{};
}

loop::Func scheduled(const loop::Func& func, const std::string& script) {
  const auto trace = parse_script(script);
  EXPECT_TRUE(trace) << (trace ? "" : to_string(trace.error()));
  if (!trace) return func;
  const auto steps = replay(func, *trace);
  EXPECT_TRUE(steps) << (steps ? "" : to_string(steps.error()));
  if (!steps || steps->empty()) return func;
  for (const ScheduleStep& step : *steps) {
    const auto valid = loop::verify(step.func);
    EXPECT_TRUE(valid) << to_script(step.instruction) << (valid ? "" : to_string(valid.error()))
                       << "\n"
                       << loop::to_text(step.func);
    for (const std::uint64_t seed : {1, 2})
      EXPECT_TRUE(same_results(func, step.func, seed)) << "after " << to_script(step.instruction);
  }
  return steps->back().func;
}

std::string refusal(const loop::Func& func, const std::string& script, Code code) {
  const auto trace = parse_script(script);
  if (!trace) return "does not parse: " + to_string(trace.error());
  const auto steps = replay(func, *trace);
  if (steps) return "was accepted:\n" + (steps->empty() ? "" : loop::to_text(steps->back().func));
  EXPECT_EQ(steps.error().code, code) << to_string(steps.error());
  EXPECT_FALSE(steps.error().where.empty());
  return steps.error().what;
}

std::string default_script(const loop::Func& func, const Machine& machine) {
  const auto trace = default_schedule(func, machine);
  EXPECT_TRUE(trace) << (trace ? "" : to_string(trace.error()));
  return trace ? to_script(*trace) : "";
}

std::string body_of(const loop::Func& func) { return loop::to_text(func); }

}  // namespace loopglass::schedule
