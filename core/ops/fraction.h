// Rational numbers for what is decided before any loop runs: exact, or known not to be.
#pragma once

#include <cmath>
#include <cstdint>

namespace loopglass::ops {

using Wide = __int128;

// Rounds towards minus infinity; the divisor is positive.
constexpr Wide floor_divide(Wide value, Wide divisor) {
  return value / divisor - (value % divisor < 0 ? 1 : 0);
}

constexpr Wide magnitude(Wide value) { return value < 0 ? -value : value; }
constexpr Wide greatest_common_divisor(Wide a, Wide b) {
  return b == 0 ? magnitude(a) : greatest_common_divisor(b, a % b);
}

// In lowest terms over a positive denominator. What 127 bits do not hold is not exact, nor is
// anything made of it, nor a division by zero.
class Fraction {
 public:
  constexpr Fraction(Wide numerator, Wide denominator = 1)  // NOLINT: whole numbers are fractions
      : numerator_(numerator), denominator_(denominator) {
    const Wide common = greatest_common_divisor(numerator, denominator);
    if (denominator == 0 || common == 0) {
      numerator_ = denominator_ = 0;
      return;
    }
    numerator_ /= denominator < 0 ? -common : common;
    denominator_ /= denominator < 0 ? -common : common;
  }

  // The number that a float stands for.
  static Fraction of(float value) {
    if (!std::isfinite(value)) return inexact();
    int exponent = 0;
    const auto digits = static_cast<Wide>(std::ldexp(std::frexp(value, &exponent), 24));
    exponent -= 24;
    if (digits == 0) return 0;
    if (std::abs(exponent) > 100) return inexact();
    const Wide power = Wide{1} << std::abs(exponent);
    return exponent < 0 ? Fraction(digits, power) : Fraction(digits * power);
  }

  constexpr bool is_exact() const { return denominator_ != 0; }
  constexpr Wide numerator() const { return numerator_; }
  constexpr Wide denominator() const { return denominator_; }
  constexpr Wide floor() const { return floor_divide(numerator_, denominator_); }

  friend constexpr Fraction operator*(const Fraction& a, const Fraction& b) {
    Wide numerator = 0, denominator = 0;
    if (__builtin_mul_overflow(a.numerator_, b.numerator_, &numerator) ||
        __builtin_mul_overflow(a.denominator_, b.denominator_, &denominator))
      return inexact();
    return Fraction(numerator, denominator);
  }
  friend constexpr Fraction operator+(const Fraction& a, const Fraction& b) {
    Wide left = 0, right = 0, sum = 0, denominator = 0;
    if (__builtin_mul_overflow(a.numerator_, b.denominator_, &left) ||
        __builtin_mul_overflow(b.numerator_, a.denominator_, &right) ||
        __builtin_add_overflow(left, right, &sum) ||
        __builtin_mul_overflow(a.denominator_, b.denominator_, &denominator))
      return inexact();
    return Fraction(sum, denominator);
  }
  friend constexpr Fraction operator-(const Fraction& a, const Fraction& b) {
    return a + Fraction(-1) * b;
  }
  friend constexpr Fraction operator/(const Fraction& a, const Fraction& b) {
    return a.is_exact() && b.is_exact() ? a * Fraction(b.denominator_, b.numerator_) : inexact();
  }
  friend constexpr bool operator<(const Fraction& a, const Fraction& b) {
    return (a - b).numerator_ < 0;
  }

 private:
  static constexpr Fraction inexact() { return {0, 0}; }

  Wide numerator_, denominator_;
};

}  // namespace loopglass::ops
