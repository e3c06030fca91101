// separates() against its definition: no two values of the variable give the same index tuple.
#include "core/dependence/independence.h"

#include "core/expr/parse.h"
#include "core/expr/rewrite.h"
#include "core/expr/simplify.h"

#include <gtest/gtest.h>
#include <map>
#include <random>

namespace loopglass::schedule {

using namespace loop;
namespace {

constexpr std::int64_t extent = 24;

bool really_separates(const std::vector<Expr>& indices) {
  std::map<std::vector<std::int64_t>, std::int64_t> seen;
  for (std::int64_t x = 0; x < extent; ++x) {
    std::vector<std::int64_t> tuple;
    for (const Expr& index : indices)
      tuple.push_back(*expr::as_integer(expr::simplify(expr::substitute(index, {{"x", Expr(x)}}))));
    if (!seen.emplace(tuple, x).second) return false;
  }
  return true;
}

bool separates_x(const std::vector<Expr>& indices) {
  return separates(indices, "x", {{"x", {0, extent - 1}}}, {});
}

Expr expression(const std::string& text) { return expr::parse(text).value(); }

TEST(Separates, AQuotientAndItsRemainder) {
  EXPECT_TRUE(separates_x({expression("x floordiv 4"), expression("x floormod 4")}));
  EXPECT_FALSE(separates_x({expression("x floordiv 4")}));
}

// 4 and 6 both give (0, 1): the remainder by 6 comes round again inside a quotient by 4.
TEST(Separates, NotARemainderOfARemainderThatDoesNotTileIt) {
  EXPECT_FALSE(separates_x({expression("x floormod 6 floormod 4"), expression("x floordiv 4")}));
}

TEST(Separates, NeverClaimsWhatIsNotSo) {
  std::mt19937 random(1);
  int proved = 0;
  for (int i = 0; i < 20000; ++i) {
    std::vector<Expr> indices;
    for (int n = 0; n < 1 + static_cast<int>(random() % 3); ++n) {
      Expr index = expr::variable("x");
      for (int depth = 0; depth < static_cast<int>(random() % 3); ++depth) {
        const Expr by(static_cast<std::int64_t>(2 + random() % 7));
        index = random() % 2 ? floor_div(index, by) : floor_mod(index, by);
      }
      indices.push_back(index);
    }
    const bool claimed = separates_x(indices);
    proved += claimed;
    ASSERT_TRUE(!claimed || really_separates(indices))
        << expr::to_string(indices.front()) << " and others, case " << i;
  }
  EXPECT_GT(proved, 1000);
}

}  // namespace
}  // namespace loopglass::schedule
