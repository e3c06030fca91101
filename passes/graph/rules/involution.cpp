// Functions that undo themselves or each other, that change nothing the second time, and that do
// not see a sign.
#include "passes/graph/rules/families.h"
#include "passes/graph/rules/notation.h"

#include <fmt/format.h>

#include <array>

namespace loopglass::passes::rules {

using namespace notation;

namespace {

constexpr std::array roundings{"Floor", "Ceil", "Round"};

// Whether the elements of a float are integers, or none at all.
bool is_integral(const Site& site, graph::ValueId value) {
  const graph::Node* node = site.peek(value);
  if (node == nullptr) return false;
  const std::string& op = node->op->name;
  return std::find(roundings.begin(), roundings.end(), op) != roundings.end() || op == "Sign" ||
         (op == "Cast" && !is_float(site.type(node->inputs.front()).type));
}

Rule rounding_of_integral() {
  return {.name = "round-integral",
          .before = "f(x)",
          .after = "x",
          .condition = "where f rounds, and x is already rounded, a sign, or made of integers",
          .roots = {roundings.begin(), roundings.end()},
          .apply = [](Site& site) {
            return is_integral(site, site.input(0)) ? std::optional(site.input(0)) : std::nullopt;
          }};
}

}  // namespace

RuleTable involution_rules() {
  const Pattern sign_of_x = call("Sign", x);
  RuleTable rules = table({
      {"negate-negate", -(-x), x},
      {"not-not", !!x, x},
      {"bitwise-not-not", ~~x, x},
      {"reciprocal-reciprocal", reciprocal(reciprocal(x)), x, {.kind = Reassociating}},
      {"abs-abs", abs(abs(x)), abs(x)},
      {"abs-negate", abs(-x), abs(x)},
      {"abs-nonnegative",
       abs(x),
       x,
       {.when = {nonnegative(x)}, .because = "there is no sign to lose"}},
      {"sign-sign", call("Sign", sign_of_x), sign_of_x},
      {"bitwise-and-self", x & x, x},
      {"bitwise-or-self", x | x, x},
      {"cos-negate", call("Cos", -x), call("Cos", x), {.because = "the cosine is even"}},
      {"cos-abs", call("Cos", abs(x)), call("Cos", x), {.because = "the cosine is even"}},
      {"cosh-negate",
       call("Cosh", -x),
       call("Cosh", x),
       {.because = "the hyperbolic cosine is even"}},
      {"cosh-abs",
       call("Cosh", abs(x)),
       call("Cosh", x),
       {.because = "the hyperbolic cosine is even"}},
      {"square-of-abs", abs(x) * abs(x), x * x, {.because = "the signs cancel"}},
      {"log-exp", log(exp(x)), x, {.kind = Reassociating}},
      {"exp-log",
       exp(log(x)),
       x,
       {.kind = Reassociating, .when = {nonnegative(x)}, .because = "a negative has no logarithm"}},
      {"sqrt-of-square",
       sqrt(x * x),
       abs(x),
       {.kind = Reassociating, .because = "a square may overflow"}},
      {"square-of-sqrt",
       sqrt(x) * sqrt(x),
       x,
       {.kind = Reassociating, .when = {nonnegative(x)}, .because = "a negative has no root"}},
      {"tan-atan", call("Tan", call("Atan", x)), x, {.kind = Reassociating}},
      {"sinh-asinh", call("Sinh", call("Asinh", x)), x, {.kind = Reassociating}},
      {"asinh-sinh", call("Asinh", call("Sinh", x)), x, {.kind = Reassociating}},
      {"atanh-tanh", call("Atanh", call("Tanh", x)), x, {.kind = Reassociating}},
  });
  rules.push_back(rounding_of_integral());
  return rules;
}

}  // namespace loopglass::passes::rules
