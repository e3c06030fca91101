// Letters, operators and conditions for writing rules (pattern.h) as a textbook would.
#pragma once

#include "passes/graph/rules/pattern.h"

#include <string_view>

namespace loopglass::passes::rules::notation {

inline const Pattern x = Pattern::letter(Pattern::Kind::Any, "x"),
                     y = Pattern::letter(Pattern::Kind::Any, "y"),
                     z = Pattern::letter(Pattern::Kind::Any, "z"),
                     u = Pattern::letter(Pattern::Kind::Computed, "u"),
                     v = Pattern::letter(Pattern::Kind::Computed, "v"),
                     c = Pattern::letter(Pattern::Kind::Constant, "c"),
                     d = Pattern::letter(Pattern::Kind::Constant, "d"), yes = Pattern::truth(true),
                     no = Pattern::truth(false);

// Any operator, by its name.
template <class... Operands>
Pattern call(std::string op, const Operands&... operands) {
  return Pattern::operation(std::move(op), {Pattern(operands)...});
}

inline Pattern operator+(const Pattern& a, const Pattern& b) { return call("Add", a, b); }
inline Pattern operator-(const Pattern& a, const Pattern& b) { return call("Sub", a, b); }
inline Pattern operator*(const Pattern& a, const Pattern& b) { return call("Mul", a, b); }
inline Pattern operator/(const Pattern& a, const Pattern& b) { return call("Div", a, b); }
inline Pattern operator-(const Pattern& a) { return call("Neg", a); }
inline Pattern operator<(const Pattern& a, const Pattern& b) { return call("Less", a, b); }
inline Pattern operator<=(const Pattern& a, const Pattern& b) { return call("LessOrEqual", a, b); }
inline Pattern operator>(const Pattern& a, const Pattern& b) { return call("Greater", a, b); }
inline Pattern operator>=(const Pattern& a, const Pattern& b) {
  return call("GreaterOrEqual", a, b);
}
inline Pattern operator==(const Pattern& a, const Pattern& b) { return call("Equal", a, b); }
inline Pattern operator&&(const Pattern& a, const Pattern& b) { return call("And", a, b); }
inline Pattern operator||(const Pattern& a, const Pattern& b) { return call("Or", a, b); }
inline Pattern operator!(const Pattern& a) { return call("Not", a); }
inline Pattern operator&(const Pattern& a, const Pattern& b) { return call("BitwiseAnd", a, b); }
inline Pattern operator|(const Pattern& a, const Pattern& b) { return call("BitwiseOr", a, b); }
inline Pattern operator^(const Pattern& a, const Pattern& b) { return call("BitwiseXor", a, b); }
inline Pattern operator~(const Pattern& a) { return call("BitwiseNot", a); }
inline Pattern exclusive(const Pattern& a, const Pattern& b) { return call("Xor", a, b); }
inline Pattern pow(const Pattern& a, const Pattern& b) { return call("Pow", a, b); }
inline Pattern where(const Pattern& a, const Pattern& b, const Pattern& e) {
  return call("Where", a, b, e);
}
inline Pattern max(const Pattern& a, const Pattern& b) { return call("Max", a, b); }
inline Pattern min(const Pattern& a, const Pattern& b) { return call("Min", a, b); }
inline Pattern abs(const Pattern& a) { return call("Abs", a); }
inline Pattern exp(const Pattern& a) { return call("Exp", a); }
inline Pattern log(const Pattern& a) { return call("Log", a); }
inline Pattern relu(const Pattern& a) { return call("Relu", a); }
inline Pattern sqrt(const Pattern& a) { return call("Sqrt", a); }
inline Pattern reciprocal(const Pattern& a) { return call("Reciprocal", a); }
inline Pattern matmul(const Pattern& a, const Pattern& b) { return call("MatMul", a, b); }

inline constexpr RuleClass Exact = RuleClass::Exact, Reassociating = RuleClass::Reassociating,
                           FiniteOnly = RuleClass::FiniteOnly;

// On the element type of what a letter stands for.
Condition integers(const Pattern& letter);
Condition unsigned_integers(const Pattern& letter);
Condition floats(const Pattern& letter);
Condition booleans(const Pattern& letter);
Condition same_shape(const Pattern& a, const Pattern& b);
// On every element of a constant.
Condition nonzero(const Pattern& constant);
Condition power_of_two(const Pattern& constant);  // so is the reciprocal, without overflow
Condition ordinary_reciprocal(const Pattern& constant);
Condition all_bits_set(const Pattern& constant);
// As close as the element type comes to it, give or take its last bits.
Condition close_to(const Pattern& constant, double number, std::string_view words);
// Not made by a convolution, a matrix product or a normalisation, whose weights would take a
// constant beside them in.
Condition made_without_weights(const Pattern& letter);
// Nowhere below zero, as what makes the value shows.
Condition nonnegative(const Pattern& letter);

}  // namespace loopglass::passes::rules::notation
