// Overlapping windows, of which the new rows alone are computed.
#include "core/loop/text.h"
#include "core/loop/watched_run.h"
#include "tests/schedule/compiled.h"
#include "tests/schedule/nests.h"
#include "tests/schedule/scripts.h"

#include <gmock/gmock.h>

namespace loopglass::schedule {

namespace {

using ::testing::HasSubstr;

// P = 2 X, and sums of three rows of it.
constexpr std::string_view stencil = R"(
func f(X: float32[10, 8] input, Z: float32[8, 8] output) {
  alloc P: float32[10, 8] workspace
  for a in 10 { for b in 8 { block P(i0 = a, i1 = b) { P[i0, i1] = X[i0, i1] * 2.0f } } }
  for y in 8 {
    for x in 8 { block Z(i0 = y, i1 = x) { Z[i0, i1] = P[i0, i1] + P[i0 + 1, i1] + P[i0 + 2, i1] } }
  }
})";

TEST(RollingBuffer, ComputesWhatTheIterationBeforeHasNot) {
  const std::string script = "compute_at(\"P\", y)\nrolling_buffer(\"P\", y)";
  const std::string text = loop::to_text(scheduled(parsed(stencil), script));
  EXPECT_THAT(text, HasSubstr("alloc P: float32[3, 8] workspace"));
  EXPECT_THAT(text, HasSubstr("where y < 1 or i0 >= y + 2"));
  EXPECT_THAT(text, HasSubstr("P[i0 floormod 3, i1] = X[i0, i1] * 2.0f"));
  EXPECT_THAT(text, HasSubstr("P[(i0 + 1) floormod 3, i1]"));
  runtime::ThreadPool pool(2);
  expect_compiled_right(parsed(stencil), pool, script);
}

// Three rows for the first, one for each of the others.
TEST(RollingBuffer, DoesLessWork) {
  const auto loads_of_x = [](const std::string& script) {
    const loop::Func func = scheduled(parsed(stencil), script);
    std::int64_t loads = 0;
    loop::WatchedRun(func, {}, 100'000)(
        [&](const loop::AccessEvent& event, std::int64_t) { loads += event.buffer == "X"; });
    return loads;
  };
  EXPECT_EQ(loads_of_x("compute_at(\"P\", y)"), 8 * 3 * 8);
  EXPECT_EQ(loads_of_x("compute_at(\"P\", y)\nrolling_buffer(\"P\", y)"), 10 * 8);
}

// The tiles of a loop in between keep their columns.
TEST(RollingBuffer, GoesRoundInTiles) {
  const std::string script =
      "zz = block(\"Z\")\ny, x = loops(zz)\nxo, xi = split(x, [-1, 4])\nreorder([xo, y, xi])\n"
      "compute_at(\"P\", y)\nrolling_buffer(\"P\", y)\nvectorize(xi)";
  runtime::ThreadPool pool(1);
  expect_compiled_right(parsed(stencil), pool, script);
  EXPECT_THAT(refusal(parsed(stencil), script + "\nparallel(y)"), HasSubstr("parallel(y)"));
}

TEST(RollingBuffer, SaysWhatCannotBe) {
  EXPECT_THAT(refusal(parsed(stencil), "rolling_buffer(\"P\", a)"), HasSubstr("is used outside"));
  EXPECT_THAT(refusal(parsed(stencil), "rolling_buffer(\"P\", y)"),
              HasSubstr("loop 'y' is not around block 'P'"));
  EXPECT_THAT(refusal(parsed(stencil), "rolling_buffer(\"Z\", y)"), HasSubstr("is the caller's"));
  EXPECT_THAT(refusal(parsed(stencil), "compute_at(\"P\", x)\nrolling_buffer(\"P\", x)"),
              HasSubstr("computes 1 row of 'P' and moves on by 1"));
  EXPECT_THAT(
      refusal(parsed(stencil), "parallel(y)\ncompute_at(\"P\", y)\nrolling_buffer(\"P\", y)"),
      HasSubstr("'y' is parallel"));
  std::string apart(stencil);
  for (const char* row : {"i0 + 1", "i0 + 2"}) apart.replace(apart.find(row), 6, "i0 + 0");
  EXPECT_THAT(refusal(parsed(apart), "compute_at(\"P\", y)\nrolling_buffer(\"P\", y)"),
              HasSubstr("nothing is there from the one before"));
}

}  // namespace

}  // namespace loopglass::schedule
