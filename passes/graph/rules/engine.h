// Applies rules of one class until none applies any more.
#pragma once

#include "passes/graph/rules/families.h"

namespace loopglass::passes {

// Each is a pass; the class is in the name.
Result<graph::Graph> simplify(const graph::Graph& graph, pass::Report& report);  // RuleClass::Exact
Result<graph::Graph> reassociate(const graph::Graph& graph, pass::Report& report);  // Reassociating
Result<graph::Graph> assume_finite_values(const graph::Graph& graph,
                                          pass::Report& report);  // FiniteOnly

// The same with rules of one's choice: what the tests of single rules use.
Result<graph::Graph> apply_rules(const graph::Graph& graph,
                                 std::span<const rules::Rule* const> rules, pass::Report& report);
// Their rules, and what the engine remarks.
pass::Words simplify_words();
pass::Words reassociate_words();
pass::Words assume_finite_values_words();

}  // namespace loopglass::passes
