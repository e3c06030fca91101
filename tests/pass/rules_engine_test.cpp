// The engine that applies rewrite rules: fixed points, names, origins, and rules that do not
// behave.
#include "core/support/check.h"
#include "tests/pass/formula_case.h"

#include <set>

namespace loopglass {
namespace {

using namespace test;
using passes::rules::Rule;
using passes::rules::Site;

std::vector<const Rule*> rules_named(std::initializer_list<const char*> names) {
  std::vector<const Rule*> rules;
  for (const char* name : names) rules.push_back(&rule_named(name));
  return rules;
}

TEST(Rules, HaveNamesOfTheirOwnAndSayWhatTheyDo) {
  std::set<std::string> names;
  for (const Rule& rule : passes::rules::all_rules()) {
    EXPECT_TRUE(names.insert(rule.name).second) << rule.name << " is there twice";
    EXPECT_FALSE(rule.before.empty()) << rule.name;
    EXPECT_FALSE(rule.after.empty()) << rule.name;
    EXPECT_NE(rule.before, rule.after) << rule.name;
  }
  EXPECT_GE(names.size(), 60u);
}

TEST(Rules, AreWrittenAsATextbookWouldWriteThem) {
  EXPECT_EQ(rule_named("factor-sum").before, "x * y + x * z");
  EXPECT_EQ(rule_named("factor-sum").after, "x * (y + z)");
  EXPECT_EQ(rule_named("square").before, "x ^ 2");
  EXPECT_EQ(rule_named("subtract-negated").before, "x - (-y)");
  EXPECT_EQ(rule_named("and-of-nots").after, "not (x or y)");
  EXPECT_EQ(rule_named("where-negative-zero").before, "Where(x < 0, 0, x)");
}

TEST(RuleEngine, GoesOnUntilNothingApplies) {
  // Each rewrite makes room for the next: 1 goes, the signs meet, the sum becomes a difference.
  pass::Report report;
  const auto rules = rules_named({"multiply-by-one", "negate-negate", "add-negated"});
  const graph::Graph after =
      rewritten(formula("Add(x, Neg(Neg(Neg(Mul(y, 1)))))", f32), rules, report);
  EXPECT_EQ(to_formula(after), "Sub(x, y)");
  EXPECT_EQ(report.rewrites.size(), 3u);
}

TEST(RuleEngine, ALongChainOfConstantsMeetsInOneApplication) {
  std::string text = "x";
  for (int i = 0; i < 1000; ++i) text = "Add(" + text + ", 1)";
  pass::Report report;
  const graph::Graph after = rewritten(formula(text, f64), rules_named({"add-constants"}), report);
  EXPECT_EQ(to_formula(after), "Add(x, 1000)");
  EXPECT_EQ(after.values().size(), 4u) << "constants nobody needs are left";
}

TEST(RuleEngine, StopsWhereItIsTold) {
  const auto rules = rules_named({"negate-negate"});
  const graph::Graph before = formula("Neg(Neg(x)); Neg(Neg(y)); Neg(Neg(z))", f32);
  const std::vector<std::string> expected{"Neg(Neg(x)); Neg(Neg(y)); Neg(Neg(z))",
                                          "x; Neg(Neg(y)); Neg(Neg(z))", "x; y; Neg(Neg(z))",
                                          "x; y; z"};
  for (std::size_t k = 0; k < expected.size(); ++k) {
    pass::Report report({}, {}, k);
    EXPECT_EQ(to_formula(rewritten(before, rules, report)), expected[k]);
    EXPECT_EQ(report.rewrites.size(), k);
  }
}

TEST(RuleEngine, WhatIsMadeTakesNameAndOriginOfWhatItReplaces) {
  const graph::Graph before = graph_of(R"(
  input %x: float32[2]
  input %y: float32[2]
  %n: float32[2] = Neg(%y) "negation" from 3
  %s: float32[2] = Add(%x, %n) "sum" from 5
  %r: float32[2] = Relu(%s) "r"
  output %r)");
  pass::Report report;
  const graph::Graph after = rewritten(before, rules_named({"add-negated"}), report);
  EXPECT_EQ(graph::to_text(after), R"(graph "g" {
  input %x: float32[2]
  input %y: float32[2]
  %s: float32[2] = Sub(%x, %y) "sum" from 3, 5
  %r: float32[2] = Relu(%s) "r"
  output %r
}
)");
  ASSERT_EQ(report.rewrites.size(), 1u);
  EXPECT_EQ(report.rewrites[0].consumed.size(), 2u);
  EXPECT_EQ(report.rewrites[0].made.size(), 1u);
  EXPECT_EQ(report.rewrites[0].detail, "sum (Add): x + (-y) is x - y");
}

TEST(RuleEngine, AnOutputKeepsItsName) {
  const graph::Graph before = graph_of(R"(
  input %x: float32[2]
  %a: float32[2] = Relu(%x) "a"
  %y: float32[2] = Identity(%a) "i"
  output %y)");
  pass::Report report;
  EXPECT_EQ(graph::to_text(rewritten(before, rules_named({"identity"}), report)), R"(graph "g" {
  input %x: float32[2]
  %y: float32[2] = Relu(%x) "a"
  output %y
}
)");
}

TEST(RuleEngine, TheInterfaceIsNotShortCircuited) {
  const graph::Graph before = graph_of(R"(
  input %x: float32[2]
  const %one: float32[] = [1]
  %y: float32[2] = Mul(%x, %one) "y"
  output %y)");
  pass::Report report;
  const graph::Graph after = rewritten(before, rules_named({"multiply-by-one"}), report);
  EXPECT_EQ(graph::to_text(after), graph::to_text(before));
  ASSERT_EQ(report.remarks.size(), 1u);
  EXPECT_EQ(report.remarks[0].code, "IDENTITY_AT_INTERFACE");
}

TEST(RuleEngine, AnOperatorWhoseOtherResultIsNeededStays) {
  const graph::Graph before = graph_of(R"(
  input %x: float32[2]
  %d: float32[2], %mask: bool[2] = Dropout(%x) "d"
  %r: float32[2] = Relu(%d) "r"
  output %r
  output %mask)");
  pass::Report report;
  rewritten(before, rules_named({"identity"}), report);
  EXPECT_TRUE(report.rewrites.empty());
}

TEST(RuleEngine, RulesThatUndoEachOtherAreStopped) {
  const auto exchange = [](const char* from, const char* to) {
    return Rule{
        .name = std::string(from) + "-to-" + to,
        .before = from,
        .after = to,
        .condition = {},
        .roots = {from},
        .apply = [to](Site& site) { return std::optional(site.make(to, {site.input(0)})); }};
  };
  const Rule there = exchange("Sin", "Cos"), back = exchange("Cos", "Sin");
  const std::vector<const Rule*> rules{&there, &back};
  pass::Report report;
  rewritten(formula("Sin(x)", f32), rules, report);
  ASSERT_EQ(report.remarks.size(), 1u);
  EXPECT_EQ(report.remarks[0].code, "RULES_DO_NOT_SETTLE");
}

TEST(RuleEngine, ARuleThatOffersAnotherTypeIsADefect) {
  const Rule broken{.name = "broken",
                    .before = "Less(x, y)",
                    .after = "x",
                    .condition = {},
                    .roots = {"Less"},
                    .apply = [](Site& site) { return std::optional(site.input(0)); }};
  const std::vector<const Rule*> rules{&broken};
  pass::Report report;
  EXPECT_THROW((void)passes::apply_rules(formula("Less(x, y)", f32), rules, report), InternalError);
}

TEST(RuleEngine, StopsWhenCancelled) {
  Cancellation cancellation;
  cancellation.request();
  pass::Report report({}, cancellation);
  const auto after = passes::simplify(formula("Neg(Neg(x))", f32), report);
  ASSERT_FALSE(after);
  EXPECT_EQ(after.error().code, Code::Cancelled);
}

}  // namespace
}  // namespace loopglass
