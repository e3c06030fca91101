// What the tests of rewrite rules share: a graph, one rule, and the operators there are afterwards.
#pragma once

#include "passes/graph/rules/engine.h"
#include "tests/pass/before_after.h"

#include <algorithm>

namespace loopglass::test {

struct RuleCase {
  const char* rule;
  const char* before;  // the graph's text without its first and last line
  // Its operators and their shapes, "Neg 2x6, Reshape 12"; nullptr: as before.
  const char* after = nullptr;
};
inline void PrintTo(const RuleCase& test, std::ostream* out) { *out << test.rule; }

inline const passes::rules::Rule& rule_named(const std::string& name) {
  for (const passes::rules::Rule& rule : passes::rules::all_rules())
    if (rule.name == name) return rule;
  throw std::invalid_argument(name);
}

inline std::string operators(const graph::Graph& graph) {
  std::string text;
  for (const graph::NodePtr& node : graph.nodes())
    text += (text.empty() ? "" : ", ") + node->op->name + " " +
            to_string(graph.value(node->outputs.front()).type.shape);
  return text;
}

inline graph::Graph rewritten(const graph::Graph& before,
                              std::span<const passes::rules::Rule* const> rules,
                              pass::Report& report) {
  auto after = passes::apply_rules(before, rules, report);
  if (!after) throw std::invalid_argument(to_string(after.error()));
  const auto verified = graph::verify(*after);
  EXPECT_TRUE(verified) << verified.error().what;
  return *std::move(after);
}

// This rule alone does what the case says, until it finds nothing more, and the graph means the
// same.
inline void check(const RuleCase& test) {
  const passes::rules::Rule* rule = &rule_named(test.rule);
  const graph::Graph before = graph_of(test.before);
  pass::Report report, again;
  const graph::Graph after = rewritten(before, {&rule, 1}, report);
  if (test.after == nullptr) {
    EXPECT_TRUE(report.rewrites.empty()) << graph::to_text(after);
    EXPECT_EQ(graph::to_text(after), graph::to_text(before));
    return;
  }
  EXPECT_FALSE(report.rewrites.empty());
  for (const pass::Rewrite& rewrite : report.rewrites) EXPECT_EQ(rewrite.rule, test.rule);
  EXPECT_EQ(operators(after), test.after) << graph::to_text(after);
  expect_same_meaning(before, after,
                      rule->kind == passes::rules::RuleClass::Reassociating ? 1e-5 : 0);
  rewritten(after, {&rule, 1}, again);
  EXPECT_TRUE(again.rewrites.empty());
}

// A rule without a case that shows it at work is not known to be right.
inline void expect_a_case_for_each(const passes::rules::RuleTable& rules,
                                   std::span<const RuleCase> cases) {
  for (const passes::rules::Rule& rule : rules)
    EXPECT_TRUE(std::ranges::any_of(
        cases,
        [&](const RuleCase& test) { return test.rule == rule.name && test.after != nullptr; }))
        << "no case for " << rule.name;
}

}  // namespace loopglass::test
