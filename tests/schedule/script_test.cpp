// Schedules as text: printing, parsing back, diagnostics that point, replay on other shapes.
#include "core/default_schedule/default_schedule.h"
#include "core/loop/text.h"
#include "core/machine/host.h"
#include "core/script/trace.h"
#include "tests/schedule/nests.h"

#include <gmock/gmock.h>

namespace loopglass::schedule {

namespace {

using ::testing::HasSubstr;

constexpr const char* example = R"(C = block("C")
i, j, k = loops(C)
jo, ji = split(j, [-1, 8])
reorder([i, jo, k, ji])
B = buffer("B")
copy = cache_read(C, B, "workspace")
vectorize(ji)
)";

TEST(Script, PrintsWhatItParsed) {
  const auto trace = parse_script(example);
  ASSERT_TRUE(trace) << to_string(trace.error());
  EXPECT_EQ(to_script(*trace), example);
}

TEST(Script, SkipsCommentsAndBlankLines) {
  const auto trace = parse_script("// tile it\n\nC = block(\"C\")  // the product\n");
  ASSERT_TRUE(trace) << to_string(trace.error());
  EXPECT_EQ(trace->instructions.size(), 1u);
}

TEST(Script, ReplaysOnAnotherShape) {
  const auto trace = parse_script(example);
  for (const auto& [m, n, k] : {std::array<std::int64_t, 3>{4, 16, 3}, {5, 21, 7}, {1, 1, 1}}) {
    const loop::Func func = matrix_product(m, n, k);
    const auto steps = replay(func, *trace);
    ASSERT_TRUE(steps) << to_string(steps.error());
    EXPECT_EQ(steps->size(), 4u);  // look-ups change nothing
    EXPECT_TRUE(same_results(func, steps->back().func));
  }
}

TEST(Script, PointsAtWhatItCannotRead) {
  const auto expect = [](const std::string& script, const std::string& what,
                         const std::string& where) {
    const auto trace = parse_script(script);
    ASSERT_FALSE(trace) << script;
    EXPECT_EQ(trace.error().code, Code::TextMalformed);
    EXPECT_THAT(to_string(trace.error()), HasSubstr(what)) << script;
    EXPECT_THAT(to_string(trace.error()), HasSubstr(where)) << script;
  };
  expect("C = block(\"C\")\na, b = splitt(C, [-1, 8])", "there is no primitive 'splitt'", "2");
  expect("a, b split(x, [1])", "expected '='", "^");
  expect("split(x, [1, y])", "", "^");
  expect("C = block(\"C", "", "^");
  // A bracket whose line is over is what is wrong, not what the next line begins with.
  for (const char* script : {"a, b = split(i, [-1, 8]\nvectorize(b)",
                             "a, b = split(i, [-1, 8]\n// why\n\nfuse(a, b)", "vectorize(b"})
    expect(script, "this '(' is not closed", "line 1, column");
  expect("C = block(\"C\")\nreorder([i, j\nvectorize(j)", "this '[' is not closed",
         "line 2, column 9");
  expect("reorder([i, j", "this '[' is not closed", "line 1, column 9");
}

TEST(Script, NamesTheLineOfAnIllegalInstruction) {
  const auto trace = parse_script("C = block(\"C\")\ni, j, k = loops(C)\nvectorize(k)\n");
  const auto steps = replay(matrix_product(4, 4, 4), *trace);
  ASSERT_FALSE(steps);
  EXPECT_EQ(steps.error().code, Code::ScheduleIllegal);
  EXPECT_THAT(steps.error().where, HasSubstr("line 3: vectorize(k)"));
}

TEST(Script, SaysWhenANameIsNotBound) {
  const auto fails = [](const std::string& script) {
    const auto steps = replay(matrix_product(4, 4, 4), *parse_script(script));
    return steps ? std::string("was accepted") : to_string(steps.error());
  };
  EXPECT_THAT(fails("vectorize(q)"), HasSubstr("'q' is bound by no earlier line"));
  EXPECT_THAT(fails("D = block(\"D\")"), HasSubstr("no block named 'D'"));
  EXPECT_THAT(fails("C = block(\"C\")\ni, j = loops(C)"), HasSubstr("gives 3 results"));
  EXPECT_THAT(fails("b = buffer(\"Q\")"), HasSubstr("no buffer named 'Q'"));
  EXPECT_THAT(fails("split(\"C\")"), HasSubstr("takes 2 to 3 arguments, got 1"));
  EXPECT_THAT(fails("split(\"C\", 8)"), HasSubstr("must be a list of integers"));
}

TEST(Script, OfADefaultScheduleParsesBackToTheSameNest) {
  const loop::Func func = convolution({1, 8, 10, 10, 20, 3, 1, 1});
  const auto trace = default_schedule(func, host_machine());
  ASSERT_TRUE(trace);
  const auto parsed = parse_script(to_script(*trace));
  ASSERT_TRUE(parsed) << to_string(parsed.error());
  EXPECT_EQ(loop::to_text(replay(func, *trace)->back().func),
            loop::to_text(replay(func, *parsed)->back().func));
}

}  // namespace

}  // namespace loopglass::schedule
