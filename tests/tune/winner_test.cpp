// What stays of those that ran in turns.
#include "core/tune/winner.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace loopglass::tune {
namespace {

using Times = std::vector<FinalTime>;
constexpr double failed = std::numeric_limits<double>::infinity();

TEST(Winner, IsTheFastestThatIsWorthIt) {
  EXPECT_EQ(winner(Times{{0, 1}, {4, 0.9}, {2, 0.8}}), 2u);
  EXPECT_EQ(winner(Times{{0, 1}, {4, 0.98}}), 0u) << "not by next to nothing";
  EXPECT_EQ(winner(Times{{0, 1}, {4, 0.98}, {2, 0.96}}), 2u);
  EXPECT_EQ(winner(Times{{3, 1}, {4, 0.999}}), 1u)
      << "without the default there is nothing to stay";
}

TEST(Winner, OfEqualsIsTheFirstTrialInWhateverOrder) {
  EXPECT_EQ(winner(Times{{0, 1}, {7, 0.5}, {3, 0.5}}), 2u);
  EXPECT_EQ(winner(Times{{3, 0.5}, {7, 0.5}, {0, 1}}), 0u);
}

TEST(Winner, IsNoneThatFailed) {
  EXPECT_EQ(winner(Times{}), std::nullopt);
  EXPECT_EQ(winner(Times{{0, failed}}), std::nullopt);
  EXPECT_EQ(winner(Times{{0, failed}, {1, 2}}), 1u);
  EXPECT_EQ(winner(Times{{0, 1}, {1, std::numeric_limits<double>::quiet_NaN()}}), 0u);
}

}  // namespace
}  // namespace loopglass::tune
