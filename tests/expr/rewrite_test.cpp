// Rewriting asks once about each node, also where rebuilding folds one away.
#include "core/expr/rewrite.h"

#include <gtest/gtest.h>

namespace loopglass::expr {

namespace {

TEST(Operands, AreMetInTheirOrderHoweverOftenTheyAreShared) {
  const Expr i = variable("i"), shared = i + 1;
  std::vector<std::string> met;
  const auto meet = [&](const Expr& operand) { met.push_back(to_string(operand)); };
  each_operand(select(i < shared, shared, load(DataType::Int64, "X", {i})), meet);
  each_operand(shared * shared, meet);
  each_operand(i, meet);
  EXPECT_EQ(met, (std::vector<std::string>{"i < i + 1", "i + 1", "X[i]", "i + 1", "i + 1"}));
}

// 0 * 7 + j folds to j = i, which must not be taken for the i that was replaced by 0.
TEST(Substitute, ReplacesAllVariablesAtOnce) {
  const Expr i = variable("i"), j = variable("j");
  const Expr index = floor_mod(i * Expr(7) + j, Expr(7));
  EXPECT_EQ(to_string(substitute(index, {{"i", Expr(0)}, {"j", i}})),
            to_string(floor_mod(i, Expr(7))));
  EXPECT_EQ(to_string(substitute(i - j, {{"i", j}, {"j", i}})), "j - i");
}

TEST(Rewrite, DoesNotRewriteAResultAgain) {
  const Expr i = variable("i"), j = variable("j");
  int steps = 0;
  const Expr moved = rewrite(i * Expr(4) + j, [&](const Expr& e) -> Expr {
    const auto* leaf = e.as<Variable>();
    if (!leaf) return {};
    ++steps;
    return leaf->name == "i" ? Expr(0) : variable("k") + 1;
  });
  EXPECT_EQ(to_string(moved), "k + 1");
  EXPECT_EQ(steps, 2);
}

}  // namespace

}  // namespace loopglass::expr
