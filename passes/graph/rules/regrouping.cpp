// Order and grouping: constants meet constants, small shapes meet before large ones, and a common
// factor is taken out.
#include "passes/graph/rules/families.h"
#include "passes/graph/rules/notation.h"

namespace loopglass::passes::rules {

using namespace notation;

namespace {

const Terms regroups{.kind = Reassociating, .exact_for_integers = true};
const Terms regroups_floats{.kind = Reassociating, .when = {floats(x)}};

// A commutative operator of two operands reads its constant last, so that twins look alike.
Rule constant_last() {
  return {.name = "constant-last",
          .before = "c + u",
          .after = "u + c",
          .condition = "for every commutative operator of two operands",
          .roots = {"Add", "Mul", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Equal", "And", "Or",
                    "Xor", "Max", "Min"},
          .apply = [](Site& site) -> std::optional<graph::ValueId> {
            if (site.node().inputs.size() != 2 || !site.node().op->commutative ||
                site.constant(site.input(0)) == nullptr || site.constant(site.input(1)) != nullptr)
              return std::nullopt;
            return site.make(site.node().op->name, {site.input(1), site.input(0)});
          }};
}

RuleTable constants() {
  return table({
      {"add-constants", (x + c) + d, x + (c + d), regroups},
      {"multiply-constants", (x * c) * d, x * (c * d), regroups},
      {"subtract-then-add-constants", (x - c) + d, x + (d - c), regroups},
      {"add-then-subtract-constants", (x + c) - d, x + (c - d), regroups},
      {"subtract-constants", (x - c) - d, x - (c + d), regroups},
      {"subtract-from-constant-then-add", (c - x) + d, (c + d) - x, regroups},
      {"subtract-from-constant-then-subtract", (c - x) - d, (c - d) - x, regroups},
      {"constant-minus-sum", c - (x + d), (c - d) - x, regroups},
      {"constant-minus-difference", c - (x - d), (c + d) - x, regroups},
      {"constant-minus-constant-difference", c - (d - x), x + (c - d), regroups},
      {"divide-constants",
       (x / c) / d,
       x / (c * d),
       {.kind = Reassociating, .when = {floats(x), nonzero(c), nonzero(d)}}},
      {"multiply-then-divide-constants",
       (x * c) / d,
       x * (c / d),
       {.kind = Reassociating, .when = {floats(x), nonzero(d)}}},
      {"divide-then-multiply-constants",
       (x / c) * d,
       x * (d / c),
       {.kind = Reassociating, .when = {floats(x), nonzero(c)}}},
      {"bitwise-and-constants", (x & c) & d, x & (c & d)},
      {"bitwise-or-constants", (x | c) | d, x | (c | d)},
      {"bitwise-xor-constants", (x ^ c) ^ d, x ^ (c ^ d)},
  });
}

// Constants move outwards, towards others of their kind.
RuleTable constants_outwards() {
  Terms beside_u = regroups, beside_v = regroups;
  beside_u.when = {made_without_weights(u)};
  beside_v.when = {made_without_weights(v)};
  return table({
      {"constant-out-of-sum", (u + c) + v, (u + v) + c, beside_u},
      {"constant-out-of-product", (u * c) * v, (u * v) * c, beside_u},
      {"constant-out-of-minuend", (u + c) - v, (u - v) + c, beside_u},
      {"constant-out-of-subtrahend", u - (v + c), (u - v) - c, beside_v},
      {"constant-out-of-difference", (u - c) + v, (u + v) - c, beside_u},
  });
}

RuleTable small_first() {
  Terms cheaper = regroups;
  cheaper.saves_work = true;
  return table({
      {"add-small-first", (x + y) + z, x + (y + z), cheaper},
      {"multiply-small-first", (x * y) * z, x * (y * z), cheaper},
      {"subtract-small-first", (x - y) - z, x - (y + z), cheaper},
      {"add-difference-small-first", (x + y) - z, x + (y - z), cheaper},
      {"max-small-first", max(max(x, y), z), max(x, max(y, z)), {.saves_work = true}},
      {"min-small-first", min(min(x, y), z), min(x, min(y, z)), {.saves_work = true}},
      {"and-small-first", (x && y) && z, x && (y && z), {.saves_work = true}},
      {"or-small-first", (x || y) || z, x || (y || z), {.saves_work = true}},
  });
}

RuleTable factors() {
  Terms cheaper = regroups;
  cheaper.saves_work = true;
  return table({
      {"factor-sum", x * y + x * z, x * (y + z), cheaper},
      {"factor-difference", x * y - x * z, x * (y - z), cheaper},
      {"factor-sum-with-self", x * c + x, x * (c + 1), regroups},
      {"factor-difference-with-self", x * c - x, x * (c - 1), regroups},
      {"factor-self-minus-product", x - x * c, x * (1 - c), regroups},
      {"add-quotients", x / z + y / z, (x + y) / z, regroups_floats},
      {"subtract-quotients", x / z - y / z, (x - y) / z, regroups_floats},
      {"multiply-exponentials", exp(x) * exp(y), exp(x + y), {.kind = Reassociating}},
      {"divide-exponentials", exp(x) / exp(y), exp(x - y), {.kind = Reassociating}},
      {"factor-matrix-left",
       matmul(x, y) + matmul(x, z),
       matmul(x, y + z),
       {.kind = Reassociating,
        .exact_for_integers = true,
        .when = {same_shape(y, z)},
        .saves_work = true}},
      {"factor-matrix-right",
       matmul(x, z) + matmul(y, z),
       matmul(x + y, z),
       {.kind = Reassociating,
        .exact_for_integers = true,
        .when = {same_shape(x, y)},
        .saves_work = true}},
  });
}

}  // namespace

RuleTable regrouping_rules() {
  RuleTable rules{constant_last()};
  for (const RuleTable& part : {constants(), constants_outwards(), small_first(), factors()})
    rules.insert(rules.end(), part.begin(), part.end());
  return rules;
}

}  // namespace loopglass::passes::rules
