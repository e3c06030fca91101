// Logic, comparisons, Where, and what limits a range: Min, Max, Clip, Relu.
#include "passes/graph/rules/families.h"
#include "passes/graph/rules/notation.h"
#include "passes/graph/rules/range.h"

#include <algorithm>
#include <cmath>

namespace loopglass::passes::rules {

using namespace notation;

namespace {

RuleTable logic_rules() {
  return table({
      {"and-true", x && yes, x},
      {"and-false", x && no, no},
      {"and-self", x && x, x},
      {"and-not-self", x && !x, no},
      {"or-true", x || yes, yes},
      {"or-false", x || no, x},
      {"or-self", x || x, x},
      {"or-not-self", x || !x, yes},
      {"and-absorbs-or", x && (x || y), x},
      {"or-absorbs-and", x || (x && y), x},
      {"and-of-nots", !x && !y, !(x || y), {.because = "De Morgan"}},
      {"or-of-nots", !x || !y, !(x && y), {.because = "De Morgan"}},
      {"xor-false", exclusive(x, no), x},
      {"xor-true", exclusive(x, yes), !x},
      {"xor-self", exclusive(x, x), no},
  });
}

RuleTable order_rules() {
  const Terms unless_nan{.kind = FiniteOnly,
                         .exact_for_integers = true,
                         .because = "all comparisons with what is not a number are false"};
  return table({
      {"equal-true", x == yes, x, {.when = {booleans(x)}}},
      {"equal-false", x == no, !x, {.when = {booleans(x)}}},
      {"equal-self", x == x, yes, unless_nan},
      {"less-self", x < x, no},
      {"greater-self", x > x, no},
      {"less-or-equal-self", x <= x, yes, unless_nan},
      {"greater-or-equal-self", x >= x, yes, unless_nan},
      {"not-less", !(x < y), x >= y, unless_nan},
      {"not-less-or-equal", !(x <= y), x > y, unless_nan},
      {"not-greater", !(x > y), x <= y, unless_nan},
      {"not-greater-or-equal", !(x >= y), x < y, unless_nan},
      {"unsigned-below-zero", x < 0, no, {.when = {unsigned_integers(x)}}},
      {"unsigned-not-below-zero", x >= 0, yes, {.when = {unsigned_integers(x)}}},
  });
}

RuleTable choice_rules() {
  const Terms unless_nan{.kind = FiniteOnly,
                         .exact_for_integers = true,
                         .because = "what is not a number is handed on by Max, Min and Relu"};
  return table({
      {"where-true", where(yes, x, y), x},
      {"where-false", where(no, x, y), y},
      {"where-same", where(x, y, y), y},
      {"where-not", where(!x, y, z), where(x, z, y)},
      {"where-of-truths", where(x, yes, no), x},
      {"where-of-untruths", where(x, no, yes), !x},
      {"where-within-true", where(x, where(x, y, z), u), where(x, y, u)},
      {"where-within-false", where(x, u, where(x, y, z)), where(x, u, z)},
      {"where-greater", where(x > y, x, y), max(x, y), unless_nan},
      {"where-less", where(x < y, x, y), min(x, y), unless_nan},
      {"where-negative-zero", where(x < 0, 0, x), relu(x)},
      {"where-positive-else-zero", where(x > 0, x, 0), relu(x), unless_nan},
      {"max-self", max(x, x), x},
      {"min-self", min(x, x), x},
      {"max-zero", max(x, 0), relu(x)},
      {"max-absorbs-min", max(x, min(x, y)), x, unless_nan},
      {"min-absorbs-max", min(x, max(x, y)), x, unless_nan},
      {"max-of-negated",
       max(-x, -y),
       -min(x, y),
       {.when = {floats(x)}, .because = "the least integer has no negative"}},
      {"min-of-negated",
       min(-x, -y),
       -max(x, y),
       {.when = {floats(x)}, .because = "the least integer has no negative"}},
      {"max-of-sums",
       max(x + y, x + z),
       x + max(y, z),
       {.kind = FiniteOnly, .when = {floats(x)}, .because = "rounding keeps the order"}},
      {"min-of-sums",
       min(x + y, x + z),
       x + min(y, z),
       {.kind = FiniteOnly, .when = {floats(x)}, .because = "rounding keeps the order"}},
  });
}

// A bound as an input of Clip; left out where it is infinite.
graph::ValueId bound(Site& site, double limit) {
  return std::isinf(limit) ? graph::ValueId{} : site.make_uniform(site.result_type().type, limit);
}

graph::ValueId limited(Site& site, graph::ValueId x, Range range) {
  if (range.low == 0 && std::isinf(range.high) && !is_unsigned_integer(site.result_type().type))
    return site.make("Relu", {x});
  return site.make("Clip", {x, bound(site, range.low), bound(site, range.high)});
}

std::optional<graph::ValueId> limit_of_limit(Site& site) {
  const graph::Node* inner = site.peek(site.input(0));
  if (inner == nullptr) return std::nullopt;
  const auto first = limits_of(site, *inner), second = limits_of(site, site.node());
  if (!first || !second) return std::nullopt;
  site.consume(*inner);
  return limited(site, inner->inputs.front(),
                 {std::clamp(first->low, second->low, second->high),
                  std::clamp(first->high, second->low, second->high)});
}

std::optional<graph::ValueId> limit_without_effect(Site& site) {
  const auto limits = limits_of(site, site.node());
  if (!limits) return std::nullopt;
  const Range range = range_of(site, site.input(0));
  return limits->low <= range.low && range.high <= limits->high ? std::optional(site.input(0))
                                                                : std::nullopt;
}

// Min(Max(x, low), high), which is how Clip is defined.
std::optional<graph::ValueId> min_of_max(Site& site) {
  if (site.node().inputs.size() != 2) return std::nullopt;
  for (const std::size_t side : {0, 1}) {
    const graph::ValueId inner = site.input(side), high = site.input(1 - side);
    const graph::Node* max = site.peek(inner);
    if (max == nullptr || max->op->name != "Max" || max->inputs.size() != 2 ||
        !site.only_user(inner) || !site.uniform(high))
      continue;
    for (const std::size_t other : {0, 1}) {
      const graph::ValueId x = max->inputs[other], low = max->inputs[1 - other];
      if (!site.uniform(low) || site.type(x) != site.result_type()) continue;
      site.consume(*max);
      const DataType type = site.result_type().type;
      return site.make("Clip", {x, site.make_uniform(type, *site.uniform(low)),
                                site.make_uniform(type, *site.uniform(high))});
    }
  }
  return std::nullopt;
}

// Max and Min take any number of operands.
std::optional<graph::ValueId> flattened(Site& site) {
  std::vector<graph::ValueId> operands;
  bool nested = false;
  for (const graph::ValueId operand : site.node().inputs) {
    const graph::Node* inner = site.peek(operand);
    if (inner == nullptr || inner->op != site.node().op || !site.only_user(operand) ||
        site.type(operand).shape != site.result_type().shape) {
      operands.push_back(operand);
      continue;
    }
    site.consume(*inner);
    operands.insert(operands.end(), inner->inputs.begin(), inner->inputs.end());
    nested = true;
  }
  // A repeated operand says nothing new.
  std::vector<graph::ValueId> different;
  for (const graph::ValueId operand : operands)
    if (std::find(different.begin(), different.end(), operand) == different.end())
      different.push_back(operand);
  if (!nested && (different.size() == operands.size() || different.size() < 2)) return std::nullopt;
  return site.make(site.node().op->name, std::move(different));
}

RuleTable range_rules() {
  return {
      {.name = "limit-without-effect",
       .before = "Clip(x, a, b)",
       .after = "x",
       .condition = "where what makes x keeps it within the bounds; Relu is a Clip from 0",
       .roots = {"Clip", "Relu"},
       .apply = limit_without_effect},
      {.name = "limit-of-limit",
       .before = "Clip(Clip(x, a, b), c, d)",
       .after = "Clip(x, clip(a, c, d), clip(b, c, d))",
       .condition = "where the bounds are constants in order; Relu is a Clip from 0",
       .roots = {"Clip", "Relu"},
       .apply = limit_of_limit},
      {.name = "min-of-max",
       .before = "Min(Max(x, a), b)",
       .after = "Clip(x, a, b)",
       .condition = "where the bounds are constants, one number each",
       .roots = {"Min"},
       .apply = min_of_max},
      {.name = "flatten-max-min",
       .before = "Max(Max(x, y), z)",
       .after = "Max(x, y, z)",
       .condition = "where nothing else needs the inner one; for Min as well",
       .roots = {"Max", "Min"},
       .apply = flattened},
  };
}

}  // namespace

RuleTable comparison_rules() {
  RuleTable rules;
  for (const RuleTable& part : {logic_rules(), order_rules(), choice_rules(), range_rules()})
    rules.insert(rules.end(), part.begin(), part.end());
  return rules;
}

}  // namespace loopglass::passes::rules
