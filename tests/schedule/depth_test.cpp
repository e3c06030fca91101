// Nests are walked by recursion: no schedule makes one so deep that the stack would end.
#include "core/loop/walk.h"
#include "tests/schedule/nests.h"
#include "tests/schedule/scripts.h"

#include <gmock/gmock.h>

namespace loopglass::schedule {
namespace {

using ::testing::HasSubstr;

TEST(Depth, CountsWhatStandsInWhat) {
  const loop::Func func = matrix_product(4, 4, 4);
  EXPECT_EQ(loop::depth(nullptr), 0);
  const int before = loop::depth(func.body);
  EXPECT_GE(before, 4);  // three loops and their block
  const loop::Func split = scheduled(func, "a, b, c = split(\"i\", [-1, 2, 2])");
  EXPECT_EQ(loop::depth(split.body), before + 2);
}

TEST(Depth, OfASplitIsBounded) {
  std::string factors;
  for (int i = 0; i < 12000; ++i) factors += "1, ";
  EXPECT_THAT(refusal(matrix_product(4, 4, 4), "split(\"i\", [" + factors + "-1])"),
              HasSubstr("12001 factors are more than 64"));
}

TEST(Depth, OfAScriptIsBounded) {
  std::string script;
  for (int i = 0; i < 600; ++i) script += "add_unit_loop(\"C\")\n";
  EXPECT_THAT(refusal(matrix_product(4, 4, 4), script), HasSubstr("500 are the most"));
}

}  // namespace
}  // namespace loopglass::schedule
