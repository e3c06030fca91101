// Conditions as people write them mean what they meant.
#include "core/expr/condition.h"

#include "core/expr/rewrite.h"
#include "core/expr/simplify.h"

#include <gtest/gtest.h>

#include <random>

namespace loopglass::expr {
namespace {

const Expr x = variable("x"), y = variable("y");

TEST(Conditions, HaveEveryTermWhereItIsPositive) {
  EXPECT_EQ(to_string(below_zero(Expr(1) - x)), "x > 1");
  EXPECT_EQ(to_string(below_zero(x - 30)), "x < 30");
  EXPECT_EQ(to_string(below_zero(x * -32)), "x > 0");
  EXPECT_EQ(to_string(below_zero(x * 32 - 656)), "x < 21");
  EXPECT_EQ(to_string(below_zero(x - y)), "x < y");
  EXPECT_EQ(to_string(below_zero(x * 4 - y * 2 + 6)), "x * 2 + 3 < y");
  EXPECT_EQ(to_string(below_zero(x - y - 5)), "x < y + 5");
  EXPECT_EQ(to_string(below_zero(Expr(3))), "false");
}

TEST(Conditions, AreTakenApartAndPutTogether) {
  const Expr both = (x < 1 && y < 2) && x < y;
  std::vector<std::string> parts;
  Expr again;
  for (const Expr& part : conjuncts(both)) {
    parts.push_back(to_string(part));
    again = conjunction(again, part);
  }
  EXPECT_EQ(parts, (std::vector<std::string>{"x < 1", "y < 2", "x < y"}));
  EXPECT_TRUE(same(again, both));
  EXPECT_TRUE(conjuncts(Expr()).empty());
  EXPECT_EQ(conjuncts(x < 1 || y < 2).size(), 1u);
  EXPECT_FALSE(conjunction(Expr(), Expr()).defined());
  EXPECT_TRUE(is_true(boolean(true)) && is_false(boolean(false)));
  EXPECT_FALSE(is_true(x < 1) || is_false(x < 1) || is_true(Expr()) || is_false(Expr()));
}

// Against brute force, for all values around zero.
TEST(Conditions, MeanTheSame) {
  std::mt19937 random(7);
  const auto draw = [&](int most) {
    return std::uniform_int_distribution<int>(-most, most)(random);
  };
  for (int i = 0; i < 300; ++i) {
    const int a = draw(6), b = draw(6), c = draw(40);
    const Expr form = x * a + y * b + c, condition = below_zero(form);
    for (int at_x = -9; at_x <= 9; ++at_x)
      for (int at_y = -9; at_y <= 9; ++at_y) {
        const Expr known = simplify(substitute(condition, {{"x", Expr(at_x)}, {"y", Expr(at_y)}}));
        const auto* value = known.as<IntConstant>();
        ASSERT_TRUE(value) << to_string(condition);
        ASSERT_EQ(value->value != 0, a * at_x + b * at_y + c < 0)
            << to_string(form) << " < 0 as " << to_string(condition) << " at " << at_x << ", "
            << at_y;
      }
  }
}

}  // namespace
}  // namespace loopglass::expr
