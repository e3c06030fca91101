// Two loops that become one, and what stands in the way.
#include "core/loop/text.h"
#include "tests/schedule/compiled.h"
#include "tests/schedule/nests.h"
#include "tests/schedule/scripts.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace loopglass::schedule {

namespace {

using ::testing::HasSubstr;

// B reads A at an index over j, its loop.
loop::Func one_behind_another(const std::string& index, const std::string& kind = "",
                              const std::string& more = "") {
  return parsed(
      fmt::format("func f(X: float32[8] input, A: float32[8] output, B: float32[8] output) {{\n"
                  "  for i in 8 {0} {{ block A(i0 = i) {{ A[i0] = X[i0] * 2.0f }} }}\n"
                  "  {2}\n"
                  "  for j in 8 {0} {{ block B(i0 = j) {{ B[i0] = A[{1}] + 1.0f }} }}\n"
                  "}}",
                  kind, index, more));
}

TEST(ComputeWith, EachIterationDoesWhatTheSameOneOfBothDid) {
  for (const char* index : {"i0", "i0 floordiv 2", "max(i0 - 1, 0)"}) {
    const loop::Func func = one_behind_another(index);
    const loop::Func one = scheduled(func, "compute_with(i, j)");
    EXPECT_THAT(loop::to_text(one), ::testing::Not(HasSubstr("for j in"))) << index;
    EXPECT_TRUE(same_results(func, one)) << index;
  }
}

TEST(ComputeWith, KeepsWhatIsReadBehindWhatWritesIt) {
  EXPECT_THAT(refusal(one_behind_another("7 - i0"), "compute_with(i, j)"),
              HasSubstr("in an iteration that would not come after it"));
  EXPECT_THAT(refusal(one_behind_another("min(i0 + 1, 7)"), "compute_with(i, j)"),
              HasSubstr("block 'A' stores A[i]"));
}

// What an earlier iteration has written another thread may not have written yet.
TEST(ComputeWith, IterationsOfThreadsWaitForNoOthers) {
  const loop::Func own = one_behind_another("i0", "parallel");
  runtime::ThreadPool pool(2);
  expect_compiled_right(own, pool, "compute_with(i, j)");
  EXPECT_THAT(refusal(one_behind_another("max(i0 - 1, 0)", "parallel"), "compute_with(i, j)"),
              HasSubstr("in an iteration that would not come after it"));
}

TEST(ComputeWith, IsOfLoopsThatFollowOneAnotherAndAreAlike) {
  EXPECT_THAT(refusal(one_behind_another("i0"), "compute_with(j, i)"),
              HasSubstr("loop 'i' does not stand directly behind 'j'"));
  EXPECT_THAT(refusal(one_behind_another("i0", "", "A[0] = 1.0f"), "compute_with(i, j)"),
              HasSubstr("loop 'j' does not stand directly behind 'i'"));
  EXPECT_THAT(refusal(one_behind_another("i0"), "parallel(i)\ncompute_with(i, j)"),
              HasSubstr("'i' is parallel, 'j' serial"));
  EXPECT_THAT(refusal(one_behind_another("i0"), "vectorize(i)\nvectorize(j)\ncompute_with(i, j)"),
              HasSubstr("the loops are vectorized"));
  EXPECT_THAT(
      refusal(one_behind_another("i0"), "i_o, i_i = split(i, [-1, 4])\ncompute_with(i_o, j)"),
      HasSubstr("'i_o' has 2 iterations, 'j' 8"));
}

}  // namespace

}  // namespace loopglass::schedule
