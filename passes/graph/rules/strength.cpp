// A cheaper operator for the same result, and one operator for what was spelled out by several.
#include "passes/graph/rules/families.h"
#include "passes/graph/rules/notation.h"

#include <bit>
#include <cmath>
#include <numbers>

namespace loopglass::passes::rules {

using namespace notation;

namespace {

// An integer's power is taken with wrapping only if the exponent is an integer, too.
const Condition integer_power{"for integers", [](const Match& match) {
                                return is_integer(match.site.type(match[x]).type) &&
                                       is_integer(match.site.type(match.site.input(1)).type);
                              }};

// What HardSwish multiplies by. Exporters write the slope with few digits.
const Condition slope_of_a_sixth{
    "where the slope is 1/6 and the offset 1/2", [](const Match& match) {
      const ops::Attributes& attributes = match.nodes.back()->attributes;
      return std::abs(attributes.real("alpha") - 1.0 / 6) < 1e-6 && attributes.real("beta") == 0.5;
    }};

// k where every element of the constant is 2^k.
std::optional<int> exponent_of(const Site& site, graph::ValueId value) {
  const auto number = site.uniform(value);
  if (!number || *number < 1 || !std::has_single_bit(static_cast<std::uint64_t>(*number)) ||
      *number != std::trunc(*number))
    return std::nullopt;
  return std::countr_zero(static_cast<std::uint64_t>(*number));
}

// The number in the shape of the constant it comes from, so that the result keeps its shape.
graph::ValueId in_place_of(Site& site, graph::ValueId constant, double number) {
  return site.make_uniform(site.type(constant).type, number, site.type(constant).shape);
}

std::optional<graph::ValueId> divide_by_shifting(Site& site) {
  const auto exponent = exponent_of(site, site.input(1));
  if (!exponent || !is_unsigned_integer(site.result_type().type)) return std::nullopt;
  return site.make("BitShift", {site.input(0), in_place_of(site, site.input(1), *exponent)},
                   {{"direction", "RIGHT"}});
}

std::optional<graph::ValueId> remainder_by_masking(Site& site) {
  const auto exponent = exponent_of(site, site.input(1));
  if (!exponent || !is_unsigned_integer(site.result_type().type)) return std::nullopt;
  return site.make("BitwiseAnd", {site.input(0), in_place_of(site, site.input(1),
                                                             std::ldexp(1.0, *exponent) - 1)});
}

std::optional<graph::ValueId> leaky_relu(Site& site) {
  const auto slope = site.uniform(site.input(1));
  if (!slope || !is_float(site.result_type().type)) return std::nullopt;
  return site.make("LeakyRelu", {site.input(0)}, {{"alpha", *slope}});
}

std::optional<graph::ValueId> plain_relu(Site& site) {
  if (site.node().attributes.real("alpha") != 0) return std::nullopt;
  return site.make("Relu", {site.input(0)});
}

RuleTable attribute_rules() {
  return {
      {.name = "divide-by-shifting",
       .before = "x / 2^k",
       .after = "x >> k",
       .condition = "for unsigned integers",
       .roots = {"Div"},
       .apply = divide_by_shifting},
      {.name = "remainder-by-masking",
       .before = "x mod 2^k",
       .after = "x & (2^k - 1)",
       .condition = "for unsigned integers",
       .roots = {"Mod"},
       .apply = remainder_by_masking},
      {.name = "uniform-slope",
       .before = "PRelu(x, c)",
       .after = "LeakyRelu(x)",
       .condition = "where the slope is one number; of floating point",
       .roots = {"PRelu"},
       .apply = leaky_relu},
      {.name = "no-slope",
       .before = "LeakyRelu(x)",
       .after = "Relu(x)",
       .condition = "where the slope is 0, and 0 times infinity does not arise",
       .kind = FiniteOnly,
       .roots = {"LeakyRelu"},
       .apply = plain_relu},
  };
}

}  // namespace

RuleTable strength_rules() {
  const Terms rounds{.kind = Reassociating};
  const Pattern sigmoid = call("Sigmoid", x), softplus = call("Softplus", x);
  RuleTable rules = table({
      {"square", pow(x, 2), x * x, {.kind = Reassociating, .when = {floats(x)}}},
      {"square-integers", pow(x, 2), x * x, {.when = {integer_power}}},
      {"cube", pow(x, 3), (x * x) * x, {.kind = Reassociating, .when = {floats(x)}}},
      {"cube-integers", pow(x, 3), (x * x) * x, {.when = {integer_power}}},
      {"power-of-a-half", pow(x, 0.5), sqrt(x), rounds},
      {"power-of-minus-one", pow(x, -1), reciprocal(x), rounds},
      {"one-over", 1 / x, reciprocal(x), {.when = {floats(x)}}},
      {"divide-by-power-of-two", x / c, x * reciprocal(c), {.when = {power_of_two(c)}}},
      {"divide-by-constant",
       x / c,
       x * reciprocal(c),
       {.kind = Reassociating, .when = {ordinary_reciprocal(c)}}},
      {"multiply-by-reciprocal", x * reciprocal(v), x / v, rounds},
      {"divide-by-reciprocal", x / reciprocal(y), x * y, rounds},
      {"reciprocal-of-quotient", reciprocal(x / y), y / x, rounds},
      {"sum-of-two", call("Sum", x, y), x + y},
      {"sigmoid", reciprocal(exp(-x) + 1), sigmoid, rounds},
      {"sigmoid-as-quotient", 1 / (exp(-x) + 1), sigmoid, rounds},
      {"softplus",
       log(exp(x) + 1),
       softplus,
       {.kind = Reassociating, .because = "and does not overflow"}},
      {"softsign", x / (abs(x) + 1), call("Softsign", x), rounds},
      {"mish", x * call("Tanh", softplus), call("Mish", x), rounds},
      {"gelu",
       (x * (call("Erf", x * c) + 1)) * 0.5,
       call("Gelu", x),
       {.kind = Reassociating,
        .when = {close_to(c, std::numbers::sqrt2 / 2, "one over the root of 2")}}},
      {"hard-swish",
       x * call("HardSigmoid", x),
       call("HardSwish", x),
       {.kind = Reassociating, .when = {slope_of_a_sixth}}},
      {"hard-swish-of-clip",
       (x * call("Clip", x + 3, 0, 6)) * c,
       call("HardSwish", x),
       {.kind = Reassociating, .when = {close_to(c, 1.0 / 6, "1/6")}}},
  });
  for (Rule& rule : attribute_rules()) rules.push_back(std::move(rule));
  return rules;
}

}  // namespace loopglass::passes::rules
