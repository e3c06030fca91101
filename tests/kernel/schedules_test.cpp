// A schedule made for one kernel serves all that compute the same.
#include "core/kernel/schedules.h"
#include "core/machine/host.h"

#include "core/default_schedule/default_schedule.h"
#include "core/loop/text.h"
#include "tests/schedule/random_program.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace loopglass::kernel {
namespace {

schedule::Trace trace_of(std::string_view script) {
  auto trace = schedule::parse_script(script);
  if (!trace) throw std::runtime_error(to_string(trace.error()));
  return *trace;
}

loop::Func func_of(std::string_view text) {
  auto func = loop::parse(text);
  if (!func) throw std::runtime_error(to_string(func.error()));
  return *func;
}

// out = x + 1, twice over; `t` is the tensor between.
loop::Func chain(std::string_view x, std::string_view t, std::string_view out) {
  return func_of(fmt::format(
      "func f({0}: float32[16, 8] input, {2}: float32[16, 8] output) {{\n"
      "  alloc {1}: float32[16, 8] workspace\n"
      "  for {1}_i in 16 {{ for {1}_j in 8 {{ block {1}(a = {1}_i, b = {1}_j) {{ {1}[a, b] = "
      "{0}[a, b] + 1.0f }} }} }}\n"
      "  for i in 16 {{ for j in 8 {{ block {2}(a = i, b = j) {{ {2}[a, b] = {1}[a, b] + 1.0f }} "
      "}} }}\n"
      "}}",
      x, t, out));
}

constexpr std::string_view script = R"(t = block("middle")
y = block("end")
i, j = loops(y)
io, ii = split(i, [-1, 4])
compute_at(t, io)
l = cache_write("end", "stack")
m = block("end_local")
set_scope("middle", "stack")
vectorize("j")
)";

TEST(Schedules, AreFoundUnderOtherNames) {
  const loop::Func a = chain("begin", "middle", "end"), b = chain("x", "conv", "relu_7");
  const auto form_a = loop::nameless_form(a), form_b = loop::nameless_form(b);
  ASSERT_EQ(form_a.bytes, form_b.bytes);
  Schedules schedules;
  EXPECT_FALSE(schedules.find(form_a));
  schedules.set(form_a, trace_of(script));
  EXPECT_EQ(schedule::to_script(schedules.find(form_a).value()),
            schedule::to_script(trace_of(script)));
  const schedule::Trace other = schedules.find(form_b).value();
  EXPECT_EQ(schedule::to_script(other), R"(t = block("conv")
y = block("relu_7")
i, j = loops(y)
io, ii = split(i, [-1, 4])
compute_at(t, io)
l = cache_write("relu_7", "stack")
m = block("relu_7_local")
set_scope("conv", "stack")
vectorize("j")
)");
  schedules.set(form_b, std::nullopt);
  EXPECT_FALSE(schedules.find(form_a));
  EXPECT_TRUE(schedules.empty());
}

TEST(Schedules, AnotherNestHasNone) {
  Schedules schedules;
  schedules.set(loop::nameless_form(chain("x", "t", "y")), trace_of(script));
  EXPECT_FALSE(schedules.find(loop::nameless_form(
      func_of("func f(x: float32[16] input, y: float32[16] output) { for i in 16 { block y(a = i) "
              "{ y[a] = x[a] + 1.0f } } }"))));
}

// The default schedule of a random program, said with other names, makes of the program with those
// names what the default schedule makes of it.
TEST(Schedules, OfRandomProgramsReplayUnderOtherNames) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const loop::Func func = schedule::random_nest(seed);
    std::string text = loop::to_text(func);
    const auto form = loop::nameless_form(func);
    // Every name gets a mark of its own; longer ones first, as words.
    const auto marked = [](const std::string& name) { return "q" + name + "q"; };
    std::string renamed_text;
    for (std::size_t i = 0; i < text.size();) {
      std::size_t end = i;
      while (end < text.size() &&
             (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_'))
        ++end;
      const std::string word = text.substr(i, end - i);
      const bool is_name =
          std::ranges::count(form.buffers, word) > 0 || std::ranges::count(form.blocks, word) > 0;
      renamed_text += word.empty() ? std::string(1, text[i]) : is_name ? marked(word) : word;
      i = word.empty() ? i + 1 : end;
    }
    const loop::Func other = func_of(renamed_text);
    const auto other_form = loop::nameless_form(other);
    ASSERT_EQ(form.bytes, other_form.bytes) << seed;
    const auto trace = schedule::default_schedule(func, host_machine());
    ASSERT_TRUE(trace);
    const schedule::Trace other_trace = renamed(*trace, form, other_form);
    for (const schedule::Instruction& instruction : other_trace.instructions)
      for (const std::string& handle : instruction.results)
        EXPECT_EQ(std::ranges::count(form.blocks, handle), 0)
            << "handles bear the other nest's names: " << schedule::to_script(other_trace);
    const auto here = schedule::replay(func, *trace), there = schedule::replay(other, other_trace);
    ASSERT_TRUE(here && there) << seed << "\n" << schedule::to_script(*trace);
    EXPECT_EQ(here->size(), there->size());
    if (!here->empty()) {
      EXPECT_EQ(loop::nameless_form(here->back().func).bytes,
                loop::nameless_form(there->back().func).bytes)
          << seed;
    }
  }
}

}  // namespace
}  // namespace loopglass::kernel
