// What the scalar operators compute, element type by element type: the one definition that constant
// folding and the interpreter share, and that generated code is tested against.
//
// Beyond what expr.h says: float16 arithmetic is done in float32 and rounded (which is exact
// rounding for + - * / sqrt); Sign of NaN is NaN; Pow on integers multiplies with wrapping, and a
// negative exponent truncates the true quotient; Mod and FloorMod on floats are fmod, the latter
// moved to the divisor's sign; a negative shift amount counts as one beyond the width.
#pragma once

#include "core/expr/expr.h"

#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

namespace loopglass::expr {

template <class T>
inline constexpr bool is_float_type =
    std::is_same_v<T, Float16> || std::is_same_v<T, float> || std::is_same_v<T, double>;

// The type a float operation is carried out in before it is rounded to T.
template <class T>
using Wide = std::conditional_t<std::is_same_v<T, Float16>, float, T>;

template <class T>
constexpr bool accepts(UnaryOperator op) {
  switch (op) {
    case UnaryOperator::Not: return std::is_same_v<T, bool>;
    case UnaryOperator::BitNot: return !is_float_type<T> && !std::is_same_v<T, bool>;
    case UnaryOperator::Negate:
    case UnaryOperator::Abs:
    case UnaryOperator::Sign: return !std::is_same_v<T, bool>;
    default: return is_float_type<T>;
  }
}

template <class T>
constexpr bool accepts(BinaryOperator op) {
  switch (op) {
    case BinaryOperator::And:
    case BinaryOperator::Or: return std::is_same_v<T, bool>;
    case BinaryOperator::BitAnd:
    case BinaryOperator::BitOr:
    case BinaryOperator::BitXor:
    case BinaryOperator::ShiftLeft:
    case BinaryOperator::ShiftRight: return !is_float_type<T> && !std::is_same_v<T, bool>;
    case BinaryOperator::DotPairs:
    case BinaryOperator::DotQuads: return std::is_same_v<T, std::int32_t>;
    case BinaryOperator::Equal:
    case BinaryOperator::NotEqual:
    case BinaryOperator::Less:
    case BinaryOperator::LessEqual:
    case BinaryOperator::Greater:
    case BinaryOperator::GreaterEqual: return true;
    default: return !std::is_same_v<T, bool>;
  }
}

inline bool accepts(UnaryOperator op, DataType type) {
  return visit_type(type, [&](auto element) { return accepts<decltype(element)>(op); });
}
inline bool accepts(BinaryOperator op, DataType type) {
  return visit_type(type, [&](auto element) { return accepts<decltype(element)>(op); });
}
constexpr bool gives_bool(UnaryOperator op) {
  return op == UnaryOperator::Not || op == UnaryOperator::IsNan || op == UnaryOperator::IsInf;
}
constexpr bool gives_bool(BinaryOperator op) {
  return op == BinaryOperator::And || op == BinaryOperator::Or || op >= BinaryOperator::Equal;
}

template <UnaryOperator op, class T>
auto apply(T operand) {
  static_assert(accepts<T>(op));
  using enum UnaryOperator;
  if constexpr (op == Not) return !operand;
  else if constexpr (op == BitNot) return static_cast<T>(~operand);
  else if constexpr (op == Sign && !is_float_type<T>)
    return static_cast<T>((operand > 0) - (operand < 0));
  else if constexpr (op == Negate && !is_float_type<T>)
    return static_cast<T>(std::uint64_t{0} - static_cast<std::uint64_t>(operand));
  else if constexpr (op == Abs && !is_float_type<T>)
    return operand < 0 ? static_cast<T>(std::uint64_t{0} - static_cast<std::uint64_t>(operand))
                       : operand;
  else {
    const auto x = static_cast<Wide<T>>(operand);
    if constexpr (op == IsNan) return std::isnan(x);
    else if constexpr (op == IsInf) return std::isinf(x);
    else if constexpr (op == Negate) return static_cast<T>(-x);
    else if constexpr (op == Abs) return static_cast<T>(std::fabs(x));
    else if constexpr (op == Sign) return static_cast<T>(x > 0 ? 1 : x < 0 ? -1 : x == 0 ? 0 : x);
    else if constexpr (op == Exp) return static_cast<T>(std::exp(x));
    else if constexpr (op == Log) return static_cast<T>(std::log(x));
    else if constexpr (op == Sqrt) return static_cast<T>(std::sqrt(x));
    else if constexpr (op == Reciprocal) return static_cast<T>(1 / x);
    else if constexpr (op == Erf) return static_cast<T>(std::erf(x));
    else if constexpr (op == Sin) return static_cast<T>(std::sin(x));
    else if constexpr (op == Cos) return static_cast<T>(std::cos(x));
    else if constexpr (op == Tan) return static_cast<T>(std::tan(x));
    else if constexpr (op == Asin) return static_cast<T>(std::asin(x));
    else if constexpr (op == Acos) return static_cast<T>(std::acos(x));
    else if constexpr (op == Atan) return static_cast<T>(std::atan(x));
    else if constexpr (op == Sinh) return static_cast<T>(std::sinh(x));
    else if constexpr (op == Cosh) return static_cast<T>(std::cosh(x));
    else if constexpr (op == Tanh) return static_cast<T>(std::tanh(x));
    else if constexpr (op == Asinh) return static_cast<T>(std::asinh(x));
    else if constexpr (op == Acosh) return static_cast<T>(std::acosh(x));
    else if constexpr (op == Atanh) return static_cast<T>(std::atanh(x));
    else if constexpr (op == Floor) return static_cast<T>(std::floor(x));
    else if constexpr (op == Ceil) return static_cast<T>(std::ceil(x));
    else if constexpr (op == Trunc) return static_cast<T>(std::trunc(x));
    else if constexpr (op == RoundEven) return static_cast<T>(std::nearbyint(x));
    else static_assert(op == Not, "operator without a meaning");
  }
}

// Quotient and remainder that never trap: 0 by zero, wrapping for the least value by -1.
template <class T>
T truncated_quotient(T a, T b) {
  if (b == 0) return 0;
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return static_cast<T>(std::uint64_t{0} - static_cast<std::uint64_t>(a));
  return static_cast<T>(a / b);
}
template <class T>
T truncated_remainder(T a, T b) {
  if (b == 0) return 0;
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return 0;
  return static_cast<T>(a % b);
}
template <class T>
T integer_power(T base, T exponent) {
  if constexpr (std::is_signed_v<T>)
    if (exponent < 0) {
      if (base == 1) return 1;
      if (base == -1) return exponent % 2 == 0 ? T{1} : T{-1};
      return 0;
    }
  std::uint64_t result = 1, factor = static_cast<std::uint64_t>(base);
  for (auto left = static_cast<std::uint64_t>(exponent); left != 0; left >>= 1, factor *= factor)
    if (left & 1) result *= factor;
  return static_cast<T>(result);
}

template <class T>
T dot_of_pairs(T a, T b) {
  const auto product = [&](int half) {
    return static_cast<std::int64_t>(static_cast<std::int16_t>(a >> half)) *
           static_cast<std::int16_t>(b >> half);
  };
  return static_cast<T>(product(0) + product(16));
}

template <class T>
T dot_of_quads(T a, T b) {
  std::int64_t sum = 0;
  for (int byte = 0; byte < 32; byte += 8)
    sum += static_cast<std::int64_t>(static_cast<std::uint8_t>(a >> byte)) *
           static_cast<std::int8_t>(b >> byte);
  return static_cast<T>(sum);
}

template <BinaryOperator op, class T>
T apply_integer(T a, T b) {
  using enum BinaryOperator;
  const auto wide_a = static_cast<std::uint64_t>(a), wide_b = static_cast<std::uint64_t>(b);
  constexpr std::uint64_t width = sizeof(T) * 8;
  if constexpr (op == Add) return static_cast<T>(wide_a + wide_b);
  else if constexpr (op == Sub) return static_cast<T>(wide_a - wide_b);
  else if constexpr (op == Mul) return static_cast<T>(wide_a * wide_b);
  else if constexpr (op == Div) return truncated_quotient(a, b);
  else if constexpr (op == Mod) return truncated_remainder(a, b);
  else if constexpr (op == FloorDiv) {
    const T remainder = truncated_remainder(a, b);
    return static_cast<T>(truncated_quotient(a, b) -
                          (remainder != 0 && (remainder < 0) != (b < 0)));
  } else if constexpr (op == FloorMod) {
    const T remainder = truncated_remainder(a, b);
    return remainder != 0 && (remainder < 0) != (b < 0) ? static_cast<T>(remainder + b) : remainder;
  } else if constexpr (op == Pow) return integer_power(a, b);
  else if constexpr (op == Min) return a < b ? a : b;
  else if constexpr (op == Max) return a < b ? b : a;
  else if constexpr (op == BitAnd) return static_cast<T>(a & b);
  else if constexpr (op == BitOr) return static_cast<T>(a | b);
  else if constexpr (op == BitXor) return static_cast<T>(a ^ b);
  else if constexpr (op == ShiftLeft)
    return wide_b < width ? static_cast<T>(wide_a << wide_b) : T{0};
  else if constexpr (op == ShiftRight) return wide_b < width ? static_cast<T>(a >> wide_b) : T{0};
  else if constexpr (op == DotPairs) return dot_of_pairs(a, b);
  else if constexpr (op == DotQuads) return dot_of_quads(a, b);
  else static_assert(op == Add, "operator without a meaning");
}

template <BinaryOperator op, class T>
T apply_float(T left, T right) {
  using enum BinaryOperator;
  const auto a = static_cast<Wide<T>>(left), b = static_cast<Wide<T>>(right);
  if constexpr (op == Add) return static_cast<T>(a + b);
  else if constexpr (op == Sub) return static_cast<T>(a - b);
  else if constexpr (op == Mul) return static_cast<T>(a * b);
  else if constexpr (op == Div) return static_cast<T>(a / b);
  else if constexpr (op == Mod) return static_cast<T>(std::fmod(a, b));
  else if constexpr (op == FloorDiv) return static_cast<T>(std::floor(a / b));
  else if constexpr (op == FloorMod) {
    const auto remainder = std::fmod(a, b);
    return static_cast<T>(remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder);
  } else if constexpr (op == Pow) return static_cast<T>(std::pow(a, b));
  else if constexpr (op == Min) return a < b || a != a ? left : right;
  else if constexpr (op == Max) return a > b || a != a ? left : right;
  else static_assert(op == Add, "operator without a meaning");
}

template <BinaryOperator op, class T>
auto apply(T a, T b) {
  static_assert(accepts<T>(op));
  using enum BinaryOperator;
  if constexpr (op == And) return a && b;
  else if constexpr (op == Or) return a || b;
  else if constexpr (op == Equal) return a == b;
  else if constexpr (op == NotEqual) return a != b;
  else if constexpr (op == Less) return a < b;
  else if constexpr (op == LessEqual) return a <= b;
  else if constexpr (op == Greater) return a > b;
  else if constexpr (op == GreaterEqual) return a >= b;
  else if constexpr (is_float_type<T>) return apply_float<op>(a, b);
  else return apply_integer<op>(a, b);
}

// Cast: float to integer truncates and saturates, NaN gives 0; anything to Bool is != 0; integers
// wrap; the rest rounds to nearest even.
template <class To, class From>
To convert(From value) {
  if constexpr (std::is_same_v<To, From>) return value;
  else if constexpr (std::is_same_v<To, bool>) return value != From{0};
  else if constexpr (is_float_type<From> && !is_float_type<To>) {
    const auto x = static_cast<double>(value);
    // 2^(value bits) is exact in double where the greatest value itself need not be.
    const double beyond = std::ldexp(1.0, std::numeric_limits<To>::digits);
    if (x != x) return 0;
    if (x >= beyond) return std::numeric_limits<To>::max();
    if (x <= static_cast<double>(std::numeric_limits<To>::min()))
      return std::numeric_limits<To>::min();
    return static_cast<To>(x);
  } else return static_cast<To>(value);
}

// Calls `function` with the operator as a compile-time constant, so that loops over elements are
// compiled once an operator.
// clang-format off
template <class Function>
decltype(auto) with_operator(UnaryOperator op, Function&& function) {
#define LOOPGLASS_CASE(name)   \
  case UnaryOperator::name:    \
    return function(std::integral_constant<UnaryOperator, UnaryOperator::name>{});
  switch (op) {
    LOOPGLASS_CASE(Negate) LOOPGLASS_CASE(Not) LOOPGLASS_CASE(BitNot) LOOPGLASS_CASE(Abs)
    LOOPGLASS_CASE(Sign) LOOPGLASS_CASE(Exp) LOOPGLASS_CASE(Log) LOOPGLASS_CASE(Sqrt)
    LOOPGLASS_CASE(Reciprocal) LOOPGLASS_CASE(Erf) LOOPGLASS_CASE(Sin) LOOPGLASS_CASE(Cos)
    LOOPGLASS_CASE(Tan) LOOPGLASS_CASE(Asin) LOOPGLASS_CASE(Acos) LOOPGLASS_CASE(Atan)
    LOOPGLASS_CASE(Sinh) LOOPGLASS_CASE(Cosh) LOOPGLASS_CASE(Tanh) LOOPGLASS_CASE(Asinh)
    LOOPGLASS_CASE(Acosh) LOOPGLASS_CASE(Atanh) LOOPGLASS_CASE(Floor) LOOPGLASS_CASE(Ceil)
    LOOPGLASS_CASE(Trunc) LOOPGLASS_CASE(RoundEven) LOOPGLASS_CASE(IsNan) LOOPGLASS_CASE(IsInf)
  }
#undef LOOPGLASS_CASE
  __builtin_unreachable();
}

template <class Function>
decltype(auto) with_operator(BinaryOperator op, Function&& function) {
#define LOOPGLASS_CASE(name)   \
  case BinaryOperator::name:   \
    return function(std::integral_constant<BinaryOperator, BinaryOperator::name>{});
  switch (op) {
    LOOPGLASS_CASE(Add) LOOPGLASS_CASE(Sub) LOOPGLASS_CASE(Mul) LOOPGLASS_CASE(Div)
    LOOPGLASS_CASE(Mod) LOOPGLASS_CASE(FloorDiv) LOOPGLASS_CASE(FloorMod) LOOPGLASS_CASE(Pow)
    LOOPGLASS_CASE(Min) LOOPGLASS_CASE(Max) LOOPGLASS_CASE(And) LOOPGLASS_CASE(Or)
    LOOPGLASS_CASE(BitAnd) LOOPGLASS_CASE(BitOr) LOOPGLASS_CASE(BitXor)
    LOOPGLASS_CASE(ShiftLeft) LOOPGLASS_CASE(ShiftRight) LOOPGLASS_CASE(DotPairs) LOOPGLASS_CASE(DotQuads)
    LOOPGLASS_CASE(Equal) LOOPGLASS_CASE(NotEqual) LOOPGLASS_CASE(Less)
    LOOPGLASS_CASE(LessEqual) LOOPGLASS_CASE(Greater) LOOPGLASS_CASE(GreaterEqual)
  }
#undef LOOPGLASS_CASE
  __builtin_unreachable();
}
// clang-format on

// Quotient towards minus infinity and the remainder that belongs to it, of the sign of `b`.
inline std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {
  return apply<BinaryOperator::FloorDiv>(a, b);
}
inline std::int64_t floor_remainder(std::int64_t a, std::int64_t b) {
  return apply<BinaryOperator::FloorMod>(a, b);
}

}  // namespace loopglass::expr
