// The rule tables, one a file, in the order in which the engine tries them.
#pragma once

#include "passes/graph/rules/rule.h"

#include <span>

namespace loopglass::passes::rules {

RuleTable identity_rules();       // operators that hand on what they are given (identity.cpp)
RuleTable arithmetic_rules();     // + - * / pow and their neutral and absorbing operands (arithmetic.cpp)
RuleTable involution_rules();     // f(f(x)) -> x and idempotents f(f(x)) -> f(x) (involution.cpp)
RuleTable comparison_rules();     // logic, Min, Max, Clip, Where (comparison.cpp)
RuleTable regrouping_rules();     // associativity, commutativity, factoring, broadcasts (regrouping.cpp)
RuleTable strength_rules();       // a cheaper operator for the same result (strength.cpp)
RuleTable reshape_rules();        // Reshape, Flatten, Squeeze, Unsqueeze, Expand (reshape.cpp)
RuleTable transpose_rules();      // Transpose, and what it may pass (transpose.cpp)
RuleTable slice_rules();          // Slice, Split, Gather (slice.cpp)
RuleTable concatenation_rules();  // Concat, Pad, Tile (concatenation.cpp)
RuleTable reduction_rules();      // reductions of reductions, over unit axes, of shapes (reduction.cpp)

// All of them.
std::span<const Rule> all_rules();

}  // namespace loopglass::passes::rules
