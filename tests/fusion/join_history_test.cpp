// Which merge brought two members together, against merging all over again.
#include "core/fusion/join_history.h"

#include <gtest/gtest.h>
#include <random>

namespace loopglass::fusion {
namespace {

TEST(JoinHistory, NamesTheMergeSinceWhichTwoAreTogether) {
  JoinHistory history(4);
  history.join(0, 1, 0);
  history.join(2, 3, 1);
  history.join(1, 3, 2);
  EXPECT_EQ(history.joined_by(0, 1), 0u);
  EXPECT_EQ(history.joined_by(3, 2), 1u);
  EXPECT_EQ(history.joined_by(0, 3), 2u);
}

TEST(JoinHistory, KnowsWhatIsApart) {
  JoinHistory history(3);
  history.join(0, 1, 0);
  EXPECT_EQ(history.joined_by(1, 2), std::nullopt);
  EXPECT_EQ(history.joined_by(2, 0), std::nullopt);
}

TEST(JoinHistory, IsThatOfMergingOneByOne) {
  constexpr std::size_t members = 40;
  std::mt19937 random(7);
  const auto any = [&] { return random() % members; };
  JoinHistory history(members);
  std::vector<std::size_t> group(members);
  std::iota(group.begin(), group.end(), 0);
  std::vector<std::vector<std::optional<std::size_t>>> since(
      members, std::vector<std::optional<std::size_t>>(members));
  for (std::size_t merge = 0; merge < 60; ++merge) {
    const std::size_t a = any(), b = any();
    history.join(a, b, merge);
    for (std::size_t x = 0; x < members; ++x)
      for (std::size_t y = 0; y < members; ++y)
        if (group[x] == group[a] && group[y] == group[b] && group[a] != group[b])
          since[x][y] = since[y][x] = merge;
    const std::size_t from = group[a], into = group[b];
    std::replace(group.begin(), group.end(), from, into);
  }
  for (std::size_t x = 0; x < members; ++x)
    for (std::size_t y = 0; y < members; ++y)
      if (x != y) {
        EXPECT_EQ(history.joined_by(x, y), since[x][y]) << x << " and " << y;
      }
}

}  // namespace
}  // namespace loopglass::fusion
