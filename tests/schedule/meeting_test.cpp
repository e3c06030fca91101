// Where accesses meet, against the enumeration of all pairs of iterations.
#include "core/dependence/meeting.h"

#include "core/dependence/integer_set.h"
#include "core/expr/parse.h"
#include "core/expr/rewrite.h"
#include "core/loop/ranges.h"
#include "core/loop/text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>

namespace loopglass::schedule {

namespace {

using expr::Expr;

Expr formula(const std::string& text) { return expr::parse(text).value(); }

std::int64_t value(const Expr& e, const std::map<std::string, std::int64_t>& at) {
  std::map<std::string, Expr> values;
  for (const auto& [name, value] : at) values.emplace(name, Expr(value));
  return *expr::as_integer(expr::simplify(expr::substitute(e, values)));
}

bool holds(const Expr& e, const std::map<std::string, std::int64_t>& at) {
  return value(expr::select(e, Expr(1), Expr(0)), at) == 1;
}

// An index or condition over i and j of what IntegerSet understands.
class Random {
 public:
  explicit Random(unsigned seed) : random_(seed) {}

  std::string index(int depth) {
    const auto inner = [&] { return index(depth - 1); };
    switch (depth == 0 ? random_() % 3 : random_() % 11) {
      case 0: return "i";
      case 1: return "j";
      case 2: return std::to_string(static_cast<int>(random_() % 7) - 3);
      case 3: return fmt::format("({} + {})", inner(), inner());
      case 4: return fmt::format("({} - {})", inner(), inner());
      case 5: return fmt::format("{} * ({})", 1 + random_() % 3, inner());
      case 6: return fmt::format("({} floordiv {})", inner(), 1 + random_() % 4);
      case 7: return fmt::format("({} floormod {})", inner(), 1 + random_() % 4);
      case 8: return fmt::format("{}({}, {})", random_() % 2 ? "min" : "max", inner(), inner());
      case 9: return fmt::format("select({}, {}, {})", condition(depth - 1), inner(), inner());
      default:
        return fmt::format("({} {} {})", inner(), random_() % 2 ? "/" : "%", 1 + random_() % 4);
    }
  }

  std::string condition(int depth) {
    constexpr const char* comparisons[] = {"<", "<=", ">", ">=", "==", "!="};
    const std::string compared =
        fmt::format("({} {} {})", index(std::max(depth - 1, 0)), comparisons[random_() % 6],
                    index(std::max(depth - 1, 0)));
    switch (depth == 0 ? 0 : random_() % 5) {
      case 1: return fmt::format("({} and {})", compared, condition(depth - 1));
      case 2: return fmt::format("({} or {})", compared, condition(depth - 1));
      case 3: return fmt::format("(not {})", condition(depth - 1));
      default: return compared;
    }
  }

 private:
  std::mt19937 random_;
};

TEST(IntegerSet, HasThePointsThatMeetTheConditions) {
  int empty = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    Random random(seed);
    const Expr condition = formula(random.condition(3));
    IntegerSet set;
    for (const char* name : {"i", "j"}) {
      set.add(name);
      set.require(expr::variable(name) >= 0 && expr::variable(name) < 6);
    }
    set.require(condition);
    ASSERT_TRUE(set.is_exact()) << to_string(condition);
    std::optional<std::map<std::string, std::int64_t>> first;
    for (std::int64_t i = 0; i < 6 && !first; ++i)
      for (std::int64_t j = 0; j < 6 && !first; ++j)
        if (holds(condition, {{"i", i}, {"j", j}})) first = {{"i", i}, {"j", j}};
    EXPECT_EQ(set.is_empty(), !first) << to_string(condition);
    EXPECT_EQ(set.least({"i", "j"}), first) << to_string(condition);
    empty += !first;
  }
  EXPECT_GT(empty, 20);
  EXPECT_LT(empty, 380);
}

TEST(IntegerSet, IsLargerWhereItDoesNotUnderstand) {
  IntegerSet set;
  set.add("i");
  set.require(equal(expr::variable("i") * expr::variable("i"), Expr(2)));
  EXPECT_FALSE(set.is_exact());
  EXPECT_EQ(set.is_empty(), false);
  // The same product is the same, and no number.
  set.require(equal(expr::variable("i") * expr::variable("i"), Expr(3)));
  EXPECT_EQ(set.is_empty(), true);
}

// Pairs of iterations of a triangle, the second later in i.
TEST(Meeting, AsEnumerationFindsIt) {
  int never = 0, met = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    Random random(seed);
    const std::string text = fmt::format(
        "func f(X: float32[99] input, Y: float32[99] output) {{ for i in 5 {{ for j in i + 1 {{\n"
        "if {} {{ Y[{}] = X[{}] }}\nif {} {{ Y[{}] = 0.0f }} }} }} }}",
        random.condition(1), random.index(2), random.index(1), random.condition(1),
        random.index(2));
    const auto func = loop::parse(text);
    ASSERT_TRUE(func) << text;
    std::vector<loop::Access> stores = loop::accesses_of(func->body);
    std::erase_if(stores, [](const loop::Access& access) { return !access.is_store; });
    ASSERT_EQ(stores.size(), 2u);
    const auto happens = [](const loop::Access& access, std::int64_t i, std::int64_t j) {
      return std::ranges::all_of(access.guards, [&](const Expr& guard) {
        return holds(guard, {{"i", i}, {"j", j}});
      });
    };
    const auto place = [](const loop::Access& access, std::int64_t i, std::int64_t j) {
      return value(access.indices[0], {{"i", i}, {"j", j}});
    };
    std::optional<std::array<std::int64_t, 4>> nearest;  // distance in i, then i, j and the other j
    for (std::int64_t i = 0; i < 5; ++i)
      for (std::int64_t j = 0; j <= i; ++j)
        for (std::int64_t later = i + 1; later < 5; ++later)
          for (std::int64_t other = 0; other <= later; ++other)
            if (happens(stores[0], i, j) && happens(stores[1], later, other) &&
                place(stores[0], i, j) == place(stores[1], later, other)) {
              const std::array found{later - i, i, j, other};
              if (!nearest || found < *nearest) nearest = found;
            }
    const Relations relations{{"i", Relation::Later}};
    const expr::Ranges ranges = loop::ranges_of(*func);
    EXPECT_EQ(never_meet(stores[0], stores[1], relations, ranges), !nearest) << text;
    const auto meeting = nearest_meeting(stores[0], stores[1], relations, ranges);
    ASSERT_EQ(meeting.has_value(), nearest.has_value()) << text;
    (nearest ? met : never) += 1;
    if (!nearest) continue;
    EXPECT_EQ(meeting->second.at("i") - meeting->first.at("i"), (*nearest)[0]) << text;
    EXPECT_EQ(meeting->first.at("i"), (*nearest)[1]) << text;
    EXPECT_EQ(meeting->element[0],
              place(stores[1], meeting->second.at("i"), meeting->second.at("j")));
  }
  EXPECT_GT(never, 30);
  EXPECT_GT(met, 30);
}

}  // namespace

}  // namespace loopglass::schedule
