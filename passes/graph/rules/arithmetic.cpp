// Neutral and absorbing operands, signs, and what cancels at once.
#include "passes/graph/rules/families.h"
#include "passes/graph/rules/notation.h"

namespace loopglass::passes::rules {

using namespace notation;

namespace {

// An integer of 64 bits is rounded when its power is taken in floating point.
const Condition base_is_exact{"where x is not rounded on the way", [](const Match& match) {
                                const DataType base = match.site.type(match[x]).type;
                                const DataType exponent = match.site.type(match.site.input(1)).type;
                                return is_float(base) || !is_float(exponent) || byte_size(base) < 8;
                              }};

Terms integers_only() { return {.when = {integers(x)}}; }

}  // namespace

RuleTable arithmetic_rules() {
  return table({
      {"add-zero", x + 0, x},
      {"subtract-zero", x - 0, x},
      {"subtract-from-zero", 0 - x, -x},
      {"multiply-by-one", x * 1, x},
      {"multiply-by-minus-one", x * -1, -x},
      {"multiply-by-zero", x * 0, 0, {.kind = FiniteOnly, .exact_for_integers = true}},
      {"divide-by-one", x / 1, x},
      {"divide-by-minus-one", x / -1, -x},
      {"divide-zero", 0 / x, 0, {.when = {integers(x)}, .because = "a division by zero is 0"}},
      {"power-of-one", pow(x, 1), x, {.when = {base_is_exact}}},
      {"power-of-zero", pow(x, 0), 1, {.because = "even where x is zero or not a number"}},
      {"one-to-a-power", pow(1, x), 1, {.because = "even where x is not a number"}},
      {"remainder-by-one", call("Mod", x, 1), 0, integers_only()},
      {"subtract-self", x - x, 0, {.kind = FiniteOnly, .exact_for_integers = true}},
      {"add-then-subtract", (x + y) - y, x, {.kind = Reassociating, .exact_for_integers = true}},
      {"subtract-then-add", (x - y) + y, x, {.kind = Reassociating, .exact_for_integers = true}},
      {"subtract-sum", x - (x + y), -y, {.kind = Reassociating, .exact_for_integers = true}},
      {"subtract-difference", x - (x - y), y, {.kind = Reassociating, .exact_for_integers = true}},
      {"add-negated", x + -y, x - y},
      {"subtract-negated", x - -y, x + y},
      {"negate-difference", -(x - y), y - x, {.because = "rounding is symmetric"}},
      {"negate-sum-with-constant", -(x + c), -c - x, {.because = "rounding is symmetric"}},
      {"negate-product-with-constant", -(x * c), x * -c, {.because = "a sign changes no rounding"}},
      {"negated-times-constant", -x * c, x * -c, {.because = "a sign changes no rounding"}},
      {"multiply-negated", -x * -y, x * y, {.because = "the signs cancel"}},
      {"divide-negated",
       -x / -y,
       x / y,
       {.when = {floats(x)}, .because = "the least integer has no negative"}},
      {"bitwise-and-zero", x & 0, 0},
      {"bitwise-and-ones", x & c, x, {.when = {all_bits_set(c)}}},
      {"bitwise-or-zero", x | 0, x},
      {"bitwise-or-ones", x | c, c, {.when = {all_bits_set(c)}}},
      {"bitwise-xor-zero", x ^ 0, x},
      {"bitwise-xor-ones", x ^ c, ~x, {.when = {all_bits_set(c)}}},
      {"bitwise-xor-self", x ^ x, 0},
      {"bitwise-and-complement", x & ~x, 0},
      {"shift-by-zero", call("BitShift", x, 0), x},
      {"shift-zero", call("BitShift", 0, x), 0},
  });
}

}  // namespace loopglass::passes::rules
