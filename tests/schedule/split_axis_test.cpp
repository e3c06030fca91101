// An axis becomes two, and nothing else changes.
#include "core/default_schedule/default_schedule.h"
#include "core/loop/symbols.h"
#include "core/loop/text.h"
#include "tests/schedule/compiled.h"
#include "tests/schedule/nests.h"
#include "tests/schedule/scripts.h"

#include <gmock/gmock.h>

namespace loopglass::schedule {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// 3 groups of 4 channels in and 6 out.
const std::string grouped = R"(
func grouped(X: float32[12, 20] input, W: float32[18, 4] constant, B: float32[18] constant,
             Z: float32[18, 20] output) {
  alloc Y: float32[18, 20] workspace
  for c in 18 {
    for p in 20 {
      for k in 4 {
        block Y(i0 = c, i1 = p, reduce r0 = k) by sum {
          init { Y[i0, i1] = 0.0f }
          Y[i0, i1] = Y[i0, i1] + X[i0 floordiv 6 * 4 + r0, i1] * W[i0, r0]
        }
      }
    }
  }
  for c1 in 18 {
    for p1 in 20 {
      block Z(i0 = c1, i1 = p1) { Z[i0, i1] = max(Y[i0, i1] + B[i0], 0.0f) }
    }
  }
})";

TEST(SplitAxis, MakesReadingEven) {
  const std::string text = loop::to_text(scheduled(
      parsed(grouped),
      "y = block(\"Y\")\nc, p, k = loops(y)\ng, o = split(c, [-1, 6])\nsplit_axis(y, 0, 6)"));
  EXPECT_THAT(text, HasSubstr("block Y(i0_o = c_o, i0_i = c_i, i1 = p, reduce r0 = k)"));
  EXPECT_THAT(text, HasSubstr("X[i0_o * 4 + r0, i1] * W[i0_o * 6 + i0_i, r0]"));
  EXPECT_THAT(text, Not(HasSubstr("floordiv")));
}

TEST(SplitAxis, KeepsTheMeaningWhateverTheLoops) {
  const std::string y = "y = block(\"Y\")\nc, p, k = loops(y)\n";
  for (const char* script :
       {"split_axis(y, 0, 6)", "split_axis(y, 0, 4)", "split_axis(y, 2, 2)", "split_axis(y, 1, 1)",
        "split_axis(y, 1, 20)", "a, b = split(c, [-1, 4])\nsplit_axis(y, 0, 6)",
        "f = fuse([c, p])\nsplit_axis(y, 0, 6)", "decompose_reduction(y, k)\nsplit_axis(y, 0, 3)",
        "split_axis(y, 2, 2)\ndecompose_reduction(y, k)",
        "z = block(\"Z\")\nsplit_axis(z, 0, 6)\nsplit_axis(z, 2, 5)"})
    if (std::string(script) != "split_axis(y, 0, 4)") scheduled(parsed(grouped), y + script);
  EXPECT_THAT(refusal(parsed(grouped), y + "split_axis(y, 0, 4)"),
              HasSubstr("4 does not divide the extent 18"));
  EXPECT_THAT(refusal(parsed(grouped), y + "split_axis(y, 3, 2)"), HasSubstr("has 3 axes"));
  EXPECT_THAT(refusal(parsed(grouped), y + "split_axis(y, 0, 0)"), HasSubstr("does not divide"));
}

// A row of the tile is then of several channels, all of one group.
TEST(SplitAxis, LetsGroupsBeTiled) {
  runtime::ThreadPool pool(2);
  for (const Machine& machine :
       {reference_machine(), machine_with_vectors("x86-64, SSE2", 16, 16)}) {
    const auto script = default_schedule(parsed(grouped), machine);
    ASSERT_TRUE(script) << to_string(script.error());
    const std::string lines = to_script(*script);
    for (const char* part :
         {"split_axis(Y, 0, 6)", "split_axis(Z, 0, 6)", "\"register\"", "vectorize", "unroll"})
      EXPECT_THAT(lines, HasSubstr(part));
    scheduled(parsed(grouped), lines);
    expect_compiled_right(parsed(grouped), pool, lines);
  }
}

// Without a reader the tile is a copy, whose memory is of symbolic size, too.
TEST(SplitAxis, IsForSumsOfSymbolicSizeThatAreTheResult) {
  const loop::Func sums = parsed(
      "func f[n](X: float32[12, n] input, W: float32[18, 4] input, Y: float32[18, n] output) {\n"
      "  for c in 18 {\n    for p in n {\n      for k in 4 {\n"
      "        block Y(i0 = c, i1 = p, reduce r0 = k) by sum {\n"
      "          init { Y[i0, i1] = 0.0f }\n"
      "          Y[i0, i1] = Y[i0, i1] + X[i0 floordiv 6 * 4 + r0, i1] * W[i0, r0]\n"
      "        }\n      }\n    }\n  }\n}");
  const auto script = default_schedule(sums, reference_machine());
  ASSERT_TRUE(script) << to_string(script.error());
  EXPECT_THAT(to_script(*script), HasSubstr("split_axis(Y, 0, 6)"));
  const auto steps = replay(sums, *script);
  ASSERT_TRUE(steps) << to_string(steps.error());
  for (const std::int64_t n : {0, 1, 63, 64, 100})
    EXPECT_TRUE(same_results(loop::with_extents(sums, {{"n", n}}),
                             loop::with_extents(steps->back().func, {{"n", n}}), 1))
        << "n = " << n;
}

}  // namespace

}  // namespace loopglass::schedule
