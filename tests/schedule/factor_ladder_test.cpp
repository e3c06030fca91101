// The factors that dragging a number goes through.
#include "core/script/factor_ladder.h"

#include "tests/schedule/nests.h"

#include <gmock/gmock.h>

namespace loopglass::schedule {

namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::Not;

std::vector<std::int64_t> ladder_of(const loop::Func& func, const std::string& script) {
  const Trace trace = parse_script(script).value();
  const Instruction& last = trace.instructions.back();
  return factor_ladder(replayed(func, script, last.line - 1).value(), last);
}

TEST(FactorLadder, OfASplitIsWhatDividesItsLoop) {
  const loop::Func func = matrix_product(12, 7, 1);
  EXPECT_THAT(ladder_of(func, "split(i, [-1, 4])"), ElementsAre(1, 2, 3, 4, 6, 8, 12));
  EXPECT_THAT(ladder_of(func, "split(j, [-1, 4])"), ElementsAre(1, 2, 4, 7));
  EXPECT_THAT(ladder_of(func, "split(k, [-1, 4])"), ElementsAre(1));
  EXPECT_THAT(ladder_of(func, "o, n = split(i, [-1, 6])\nsplit(n, [-1, 2])"),
              ElementsAre(1, 2, 3, 4, 6))
      << "by the name that an earlier line bound";
  EXPECT_THAT(ladder_of(func, "loop_partition(j, [2, -1])"), ElementsAre(1, 2, 4, 7));
}

TEST(FactorLadder, OfWhatSplitsNoLoopIsRound) {
  const std::vector<std::int64_t> ladder =
      ladder_of(matrix_product(4, 4, 4), "pad_axis(\"A\", 0, 8)");
  EXPECT_THAT(ladder, AllOf(Contains(1), Contains(24), Contains(largest_factor), Not(Contains(20)),
                            Each(Le(largest_factor))));
  EXPECT_THAT(ladder_of(matrix_product(4, 4, 4), "split(nobody, [-1, 2])"), Contains(1024));
}

TEST(FactorLadder, IsClimbedFromWhereverOneStands) {
  const std::vector<std::int64_t> ladder{1, 2, 4, 7};
  EXPECT_EQ(rung(ladder, 2, 1), 4);
  EXPECT_EQ(rung(ladder, 2, -1), 1);
  EXPECT_EQ(rung(ladder, 2, 0), 2);
  EXPECT_EQ(rung(ladder, 3, 1), 4);
  EXPECT_EQ(rung(ladder, 3, -1), 2);
  EXPECT_EQ(rung(ladder, 3, 0), 3);
  EXPECT_EQ(rung(ladder, 4, 9), 7);
  EXPECT_EQ(rung(ladder, 4, -9), 1);
  EXPECT_EQ(rung(ladder, 100, 1), 7);
  EXPECT_EQ(rung(ladder, 100, -1), 7);
  EXPECT_EQ(rung({}, 5, 1), 5);
}

}  // namespace

}  // namespace loopglass::schedule
