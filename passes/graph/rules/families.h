// The rule tables, one a file, in the order in which the engine tries them.
#pragma once

#include "passes/graph/rules/rule.h"

#include <span>

namespace loopglass::passes::rules {

// Operators that hand on what they are given (identity.cpp).
RuleTable identity_rules();
// + - * / pow and their neutral and absorbing operands (arithmetic.cpp).
RuleTable arithmetic_rules();
// Involutions f(f(x)) -> x and idempotents f(f(x)) -> f(x) (involution.cpp).
RuleTable involution_rules();
// Logic, Min, Max, Clip, Where (comparison.cpp).
RuleTable comparison_rules();
// Associativity, commutativity, factoring, broadcasts (regrouping.cpp).
RuleTable regrouping_rules();
// A cheaper operator for the same result (strength.cpp).
RuleTable strength_rules();
// Reshape, Flatten, Squeeze, Unsqueeze, Expand (reshape.cpp).
RuleTable reshape_rules();
// Transpose, and what it may pass (transpose.cpp).
RuleTable transpose_rules();
// Slice, Split, Gather (slice.cpp).
RuleTable slice_rules();
// Concat, Pad, Tile (concatenation.cpp).
RuleTable concatenation_rules();
// Reductions of reductions, over unit axes, of shapes (reduction.cpp).
RuleTable reduction_rules();

// All of them.
std::span<const Rule> all_rules();

}  // namespace loopglass::passes::rules
