// Simplification of index arithmetic: what it makes of the forms schedules produce, and that it
// never changes a value.
#include "core/expr/simplify.h"
#include "core/expr/parse.h"
#include "core/expr/rewrite.h"

#include <gtest/gtest.h>
#include <random>

namespace loopglass::expr {
namespace {

Expr read(std::string_view text) {
  const auto parsed = parse(text, [](std::string_view) { return DataType::Float32; });
  EXPECT_TRUE(parsed) << to_string(parsed.error());
  return parsed ? *parsed : Expr();
}

const Ranges ranges{{"i", {0, 7}}, {"j", {0, 3}}, {"k", {0, 31}}, {"one", {5, 5}}, {"n", {-4, 4}}};

struct Case {
  std::string_view before, after;
};
// So that a failure names its case.
void PrintTo(const Case& c, std::ostream* out) { *out << c.before; }

class Simplifies : public testing::TestWithParam<Case> {};
TEST_P(Simplifies, To) {
  EXPECT_EQ(to_string(simplify(read(GetParam().before), ranges)), GetParam().after);
}

INSTANTIATE_TEST_SUITE_P(Sums, Simplifies,
                         testing::Values(Case{"i + i", "i * 2"}, Case{"i - i", "0"},
                                         Case{"i + 1 - 1", "i"}, Case{"i * 4 + j - i * 4", "j"},
                                         Case{"(i + j) * 2", "i * 2 + j * 2"},
                                         Case{"-i + 3", "3 - i"}, Case{"-i + x", "x - i"},
                                         Case{"3 - (1 - x)", "x + 2"}, Case{"one + x", "x + 5"},
                                         Case{"x * y + y * x * 0", "x * y"}));
INSTANTIATE_TEST_SUITE_P(
    Quotients, Simplifies,
    testing::Values(Case{"(x * 8 + i) floordiv 8", "x"}, Case{"(x * 8 + i) floormod 8", "i"},
                    Case{"(x * 8 + i + 16) floordiv 8", "x + 2"}, Case{"i floordiv 8", "0"},
                    Case{"i floormod 8", "i"},
                    Case{"(x * 8 + i) floordiv 4", "x * 2 + i floordiv 4"},
                    Case{"(x * 8 + i) floormod 4", "i floormod 4"},
                    // Fused, then split by another factor.
                    Case{"(x * 8 + i) floordiv 32", "x floordiv 4"},
                    Case{"(x * 8 + i) floormod 32", "x floormod 4 * 8 + i"},
                    Case{"x floordiv 4 floordiv 8", "x floordiv 32"},
                    Case{"x floormod 32 floormod 8", "x floormod 8"},
                    Case{"(x floordiv 4 + 3) floordiv 2", "(x + 4) floordiv 8 + 1"},
                    Case{"(i - 8) floordiv 8", "-1"}, Case{"(i - 8) floormod 8", "i"},
                    Case{"(x - 1) floordiv 4", "(x - 1) floordiv 4"}, Case{"k / 8", "k floordiv 8"},
                    Case{"n / 2", "n / 2"}, Case{"k % 8", "k floormod 8"},
                    Case{"x floordiv y", "x floordiv y"}));
INSTANTIATE_TEST_SUITE_P(
    Recombined, Simplifies,
    testing::Values(Case{"x floordiv 8 * 8 + x floormod 8", "x"},
                    Case{"x floormod 8 * 3 + y + x floordiv 8 * 24", "y + x * 3"},
                    Case{"x floordiv 32 * 32 + x floordiv 8 floormod 4 * 8 + x floormod 8", "x"},
                    // A place in a tensor of three dimensions, whose loops are fused and split.
                    Case{"(y + x floordiv 8) floormod 6 * 8 + x floormod 8",
                         "(x + y * 8) floormod 48"},
                    Case{"(y * 7 + x floordiv 8 + 3) floormod 6 * 16 + x floormod 8 * 2",
                         "(x + y * 56 + 24) floormod 48 * 2"},
                    Case{"(x * 448 + y) floordiv 98 * 3136 + (x * 256 + (y * 32 + k) floordiv 56) "
                         "floormod 56 * 56 + (y * 32 + k) floormod 56",
                         "k + y * 32 + x * 14336"},
                    Case{"(y + x floordiv 8) floormod 6 * 4 + x floormod 8",
                         "(y + x floordiv 8) floormod 6 * 4 + x floormod 8"},
                    Case{"x floordiv 8 * 4 + x floormod 8", "x floordiv 8 * 4 + x floormod 8"}));
INSTANTIATE_TEST_SUITE_P(
    Decided, Simplifies,
    testing::Values(Case{"i < 8", "true"}, Case{"i < 7", "i < 7"}, Case{"i >= 8", "false"},
                    Case{"i + j <= 10", "true"}, Case{"i == 9", "false"}, Case{"i != 9", "true"},
                    Case{"x + 1 > x", "true"}, Case{"x == x + 1", "false"},
                    Case{"i < 8 and x < 3", "x < 3"}, Case{"min(i, 20)", "i"},
                    Case{"max(i, k + 8)", "k + 8"}, Case{"min(i, j)", "min(i, j)"},
                    Case{"select(i < 8, X[i + 0], 0.0f)", "X[i]"}, Case{"select(x < 1, i, i)", "i"},
                    Case{"x < 3 and x < 3", "x < 3"}, Case{"i floordiv 4 < 2", "true"}));

// What is loaded may be any number, next to the ends of int64 too, where sums and products wrap.
TEST(Simplify, TrustsNoOrderOfDataThatMayWrap) {
  const auto of_integers = [](std::string_view text) {
    return to_string(
        simplify(*parse(text, [](std::string_view) { return DataType::Int64; }), ranges));
  };
  EXPECT_EQ(of_integers("D[i] + 1 > D[i]"), "D[i] + 1 > D[i]");
  EXPECT_EQ(of_integers("D[i] - 1 <= D[i]"), "D[i] - 1 <= D[i]");
  EXPECT_EQ(of_integers("max(D[i], D[i] + 1)"), "max(D[i], D[i] + 1)");
  EXPECT_EQ(of_integers("D[i] * 4 floordiv 4"), "D[i] * 4 floordiv 4");
  // Equality survives wrapping, and so does order within known bounds.
  EXPECT_EQ(of_integers("D[i] == D[i] + 1"), "false");
  EXPECT_EQ(of_integers("D[i] floormod 8 < 8"), "true");
}

TEST(Simplify, LeavesFloatsAlone) {
  EXPECT_EQ(to_string(simplify(read("X[i] * 0.0f + X[i] - X[i]"))), "X[i] * 0.0f + X[i] - X[i]");
}

TEST(Simplify, GivesBackTheNodeWhereNothingChanges) {
  const Expr e = read("i floordiv 4 * 2 + x");
  EXPECT_EQ(simplify(e, ranges).get(), e.get());
}

TEST(Bounds, AreTight) {
  const auto of = [](std::string_view text) {
    return bounds(read(text), ranges).value_or(Interval{-999, 999});
  };
  const auto expect = [&](std::string_view text, std::int64_t min, std::int64_t max) {
    EXPECT_EQ(of(text).min, min) << text;
    EXPECT_EQ(of(text).max, max) << text;
  };
  expect("i * 4 + j", 0, 31);
  expect("i - i", 0, 0);
  expect("3 - i", -4, 3);
  expect("k floordiv 5", 0, 6);
  expect("k floormod 5", 0, 4);
  expect("x floormod 5", 0, 4);
  expect("n floordiv 3", -2, 1);
  expect("n / 3", -1, 1);
  expect("n % 3", -2, 2);
  expect("max(n, 0)", 0, 4);
  expect("abs(n)", 0, 4);
  expect("select(x < 1, i, n)", -4, 7);
  expect("int64(3u8 + 4u8)", 7, 7);
  EXPECT_FALSE(bounds(read("x"), ranges));
  EXPECT_FALSE(bounds(read("i * 9223372036854775807"), ranges));
}

TEST(Coefficient, IsThatOfAnAffineForm) {
  EXPECT_EQ(coefficient(read("i * 4 + j - i"), "i"), 3);
  EXPECT_EQ(coefficient(read("j"), "i"), 0);
  EXPECT_EQ(coefficient(read("(i + 1) * 2"), "i"), 2);
  EXPECT_EQ(coefficient(read("i floordiv 2"), "i"), std::nullopt);
  EXPECT_EQ(coefficient(read("i * j"), "i"), std::nullopt);
  EXPECT_EQ(coefficient(read("j floordiv 2 + i"), "i"), 1);
}

// A random expression over variables with ranges, of the operators index arithmetic is made of.
class RandomExpressions {
 public:
  explicit RandomExpressions(unsigned seed) : random_(seed) {}

  Expr whole(int depth) {
    if (depth == 0 || chance(5)) {
      static const char* const names[] = {"i", "j", "k", "n", "one"};
      return chance(3) ? Expr(between(-9, 20)) : variable(names[between(0, 4)]);
    }
    const Expr a = whole(depth - 1);
    switch (between(0, 9)) {
      case 0:
      case 1: return a + whole(depth - 1);
      case 2: return a - whole(depth - 1);
      case 3: return a * Expr(between(-4, 8));
      case 4: return floor_div(a, divisor());
      case 5: return floor_mod(a, divisor());
      case 6: return between(0, 1) ? a / divisor() : binary(BinaryOperator::Mod, a, divisor());
      case 7: return between(0, 1) ? min(a, whole(depth - 1)) : max(a, whole(depth - 1));
      case 8: return select(truth(depth - 1), a, whole(depth - 1));
      default: return -a;
    }
  }

  Expr truth(int depth) {
    static constexpr BinaryOperator comparisons[] = {
        BinaryOperator::Equal,     BinaryOperator::NotEqual, BinaryOperator::Less,
        BinaryOperator::LessEqual, BinaryOperator::Greater,  BinaryOperator::GreaterEqual};
    const Expr first = binary(comparisons[between(0, 5)], whole(depth), whole(depth));
    if (!chance(3) || depth == 0) return first;
    return between(0, 1) ? first && truth(depth - 1) : first || truth(depth - 1);
  }

  std::map<std::string, Expr> values() {
    std::map<std::string, Expr> chosen;
    for (const auto& [name, range] : ranges)
      chosen.emplace(name, Expr(between(range.min, range.max)));
    return chosen;
  }

 private:
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }
  bool chance(int of) { return between(1, of) == 1; }
  Expr divisor() { return Expr(std::int64_t{1} << between(0, 4)) + Expr(chance(4) ? 1 : 0); }

  std::mt19937 random_;
};

TEST(Simplify, NeverChangesAValue) {
  RandomExpressions random(7);
  for (int round = 0; round < 4000; ++round) {
    const Expr e = round % 4 == 0 ? random.truth(3) : random.whole(4);
    const Expr simple = simplify(e, ranges);
    const auto interval = e.type() == DataType::Int64 ? bounds(e, ranges) : std::nullopt;
    for (int point = 0; point < 12; ++point) {
      const auto at = random.values();
      const Expr expected = substitute(e, at), actual = substitute(simple, at);
      ASSERT_TRUE(same(expected, actual))
          << to_string(e) << "\nbecame " << to_string(simple) << "\nwhich is " << to_string(actual)
          << ", not " << to_string(expected);
      if (interval) {
        ASSERT_GE(as_integer(expected).value(), interval->min) << to_string(e);
        ASSERT_LE(as_integer(expected).value(), interval->max) << to_string(e);
      }
    }
  }
}

// Loops over a tensor's dimensions are fused and split; the places that follow, dimension by
// dimension, are those of the flat tensor again, and mean the same where they are not found to be.
TEST(Simplify, FusedAndSplitPlacesMeanTheSame) {
  std::mt19937 random(5);
  const auto between = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  int found = 0;
  for (int round = 0; round < 400; ++round) {
    std::vector<std::int64_t> extents(static_cast<std::size_t>(between(2, 4)));
    for (std::int64_t& extent : extents) extent = between(2, 60);
    std::int64_t all = 1;
    for (const std::int64_t extent : extents) all *= extent;
    // Three loops in the place of one, the last of lanes.
    const std::int64_t lanes = std::int64_t{1} << between(1, 5), turns = between(2, 40);
    const Ranges loops{
        {"a", {0, all / (lanes * turns)}}, {"b", {0, turns - 1}}, {"c", {0, lanes - 1}}};
    const Expr fused = variable("a") * (lanes * turns) + variable("b") * lanes + variable("c");
    Expr flat(0);
    std::int64_t stride = all;
    for (std::size_t d = 0; d < extents.size(); ++d) {
      stride /= extents[d];
      Expr place = floor_div(fused, Expr(stride));
      if (d > 0) place = floor_mod(place, Expr(extents[d]));
      flat = flat + simplify(place, loops) * stride;
    }
    const Expr simple = simplify(flat, loops);
    found += same(simple, simplify(fused, loops)) || coefficient(simple, "c") == 1;
    for (int point = 0; point < 20; ++point) {
      std::map<std::string, Expr> at;
      for (const auto& [name, range] : loops) at.emplace(name, Expr(between(range.min, range.max)));
      ASSERT_EQ(as_integer(substitute(simple, at)), as_integer(substitute(fused, at)))
          << to_string(flat) << "\nbecame " << to_string(simple);
    }
  }
  EXPECT_GT(found, 380);
}

// Passes simplify again and again; the text should come to rest.
TEST(Simplify, SettlesInOneStep) {
  RandomExpressions random(11);
  for (int round = 0; round < 2000; ++round) {
    const Expr e = random.whole(3), once = simplify(e, ranges), twice = simplify(once, ranges);
    ASSERT_TRUE(same(once, twice)) << to_string(e) << "\n"
                                   << to_string(once) << "\n"
                                   << to_string(twice);
  }
}

// What is printed of a random expression reads back to the same tree.
TEST(RoundTrip, RandomExpressions) {
  RandomExpressions random(3);
  for (int round = 0; round < 1000; ++round) {
    const Expr e = random.truth(3);
    const auto parsed = parse(to_string(e));
    ASSERT_TRUE(parsed) << to_string(parsed.error());
    ASSERT_TRUE(same(*parsed, e)) << to_string(e) << " became " << to_string(*parsed);
  }
}

}  // namespace
}  // namespace loopglass::expr
