#include "passes/graph/rules/notation.h"

#include "passes/graph/rules/range.h"

#include <fmt/format.h>
#include <cmath>

namespace loopglass::passes::rules::notation {

namespace {

Condition of_type(const Pattern& letter, std::string_view words, bool (*holds)(DataType)) {
  return {fmt::format("for {}", words), [letter, holds](const Match& match) {
            return holds(match.site.type(match[letter]).type);
          }};
}

// Of a constant's elements in their own type; there must be some.
template <class Predicate>
Condition every_element(const Pattern& constant, std::string_view words, Predicate predicate) {
  return {fmt::format("where {} {}", constant->name, words),
          [constant, predicate](const Match& match) {
            const Tensor& tensor = *match.site.constant(match[constant]);
            return visit_type(tensor.data_type(), [&](auto zero) {
              const auto elements = tensor.as<decltype(zero)>();
              return !elements.empty() && std::all_of(elements.begin(), elements.end(), predicate);
            });
          }};
}

template <class T>
constexpr bool floating = std::is_floating_point_v<T> || std::is_same_v<T, Float16>;

// Neither zero nor subnormal, and so neither infinite nor zero as a divisor.
template <class T>
bool is_normal(T number) {
  const double magnitude = std::abs(static_cast<double>(number));
  return magnitude >= static_cast<double>(std::numeric_limits<T>::min()) &&
         magnitude <= static_cast<double>(std::numeric_limits<T>::max());
}
template <>
bool is_normal<Float16>(Float16 number) {
  const double magnitude = std::abs(static_cast<double>(number));
  return magnitude >= 0x1p-14 && magnitude <= 65504;
}

}  // namespace

Condition integers(const Pattern& letter) { return of_type(letter, "integers", is_integer); }
Condition unsigned_integers(const Pattern& letter) {
  return of_type(letter, "unsigned integers", is_unsigned_integer);
}
Condition floats(const Pattern& letter) { return of_type(letter, "floating point", is_float); }
Condition booleans(const Pattern& letter) {
  return of_type(letter, "truth values", [](DataType type) { return type == DataType::Bool; });
}

Condition same_shape(const Pattern& a, const Pattern& b) {
  return {fmt::format("where {} and {} have one shape", a->name, b->name),
          [a, b](const Match& match) {
            return match.site.type(match[a]).shape == match.site.type(match[b]).shape;
          }};
}

Condition nonzero(const Pattern& constant) {
  return every_element(constant, "is nowhere zero", [](auto element) { return element != 0; });
}

Condition power_of_two(const Pattern& constant) {
  return every_element(constant, "is a power of two, whose reciprocal is exact", [](auto element) {
    if constexpr (floating<decltype(element)>) {
      int exponent = 0;
      return std::abs(std::frexp(static_cast<double>(element), &exponent)) == 0.5 &&
             is_normal(element) && is_normal(static_cast<decltype(element)>(1 / element));
    } else {
      return false;
    }
  });
}

Condition ordinary_reciprocal(const Pattern& constant) {
  return every_element(constant, "has a reciprocal within the type's range", [](auto element) {
    if constexpr (floating<decltype(element)>)
      return is_normal(element) && is_normal(static_cast<decltype(element)>(1 / element));
    else return false;
  });
}

Condition all_bits_set(const Pattern& constant) {
  return every_element(constant, "has all bits set", [](auto element) {
    if constexpr (floating<decltype(element)> || std::is_same_v<decltype(element), bool>)
      return false;
    else return static_cast<decltype(element)>(~element) == 0;
  });
}

Condition close_to(const Pattern& constant, double number, std::string_view words) {
  return every_element(constant, fmt::format("is {}", words), [number](auto element) {
    using Element = decltype(element);
    if constexpr (!floating<Element>) return false;
    const double last_bit = std::is_same_v<Element, Float16>
                                ? 0x1p-10
                                : static_cast<double>(std::numeric_limits<Element>::epsilon());
    return std::abs(static_cast<double>(element) - number) <= 4 * last_bit * std::abs(number);
  });
}

Condition made_without_weights(const Pattern& letter) {
  return {fmt::format("where {} has no weights that would take c in", letter->name),
          [letter](const Match& match) {
            const graph::Node* node = match.site.peek(match[letter]);
            if (node == nullptr) return true;
            const ops::Family family = node->op->family;
            return family != ops::Family::Convolution && family != ops::Family::MatrixProduct &&
                   family != ops::Family::Normalisation;
          }};
}

Condition nonnegative(const Pattern& letter) {
  return {fmt::format("where {} is known not to be negative", letter->name),
          [letter](const Match& match) { return range_of(match.site, match[letter]).low >= 0; }};
}

}  // namespace loopglass::passes::rules::notation
