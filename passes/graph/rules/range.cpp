#include "passes/graph/rules/range.h"

#include <algorithm>
#include <cmath>

namespace loopglass::passes::rules {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Operators of floating-point elements whose results are bounded, whatever they are given. (The
// absolute value of the least integer is negative.)
std::optional<Range> bounded_result(const std::string& op) {
  if (op == "Sigmoid" || op == "HardSigmoid") return Range{0, 1};
  if (op == "Abs" || op == "Exp" || op == "Sqrt" || op == "Softplus") return Range{0, infinity};
  return std::nullopt;
}

// The number as an element of the type, if that is a number like any other.
std::optional<double> rounded(double number, DataType type) {
  return visit_type(type, [&](auto zero) -> std::optional<double> {
    using Element = decltype(zero);
    if (is_float(type)) {
      const auto element = static_cast<double>(static_cast<Element>(number));
      return std::isnan(element) ? std::nullopt : std::optional(element);
    }
    const bool exact = number == std::trunc(number) && std::abs(number) <= 0x1p53 &&
                       number >= static_cast<double>(std::numeric_limits<Element>::lowest()) &&
                       number <= static_cast<double>(std::numeric_limits<Element>::max());
    return exact ? std::optional(number) : std::nullopt;
  });
}

Range range_of_constant(const Tensor& tensor) {
  Range range{infinity, -infinity};
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    const double element = tensor.double_at(i);
    if (std::isnan(element)) continue;
    range.low = std::min(range.low, element);
    range.high = std::max(range.high, element);
  }
  return range;
}

}  // namespace

std::optional<Range> limits_of(const Site& site, const graph::Node& node) {
  if (node.op->name == "Relu") return Range{0, infinity};
  if (node.op->name != "Clip") return std::nullopt;
  Range range;
  const auto bound = [&](std::size_t input, const std::string& attribute, double& limit) {
    std::optional<double> number;
    if (input < node.inputs.size() && node.inputs[input]) number = site.uniform(node.inputs[input]);
    else if (node.attributes.has(attribute))
      number = rounded(node.attributes.real(attribute), site.type(node.outputs.front()).type);
    else return true;
    if (number) limit = *number;
    return number.has_value();
  };
  if (!bound(1, "min", range.low) || !bound(2, "max", range.high) || range.low > range.high)
    return std::nullopt;
  return range;
}

Range range_of(const Site& site, graph::ValueId value) {
  if (const Tensor* constant = site.constant(value)) return range_of_constant(*constant);
  const graph::Node* node = site.peek(value);
  if (node != nullptr) {
    if (const auto limits = limits_of(site, *node)) return *limits;
    if (is_float(site.type(value).type)) {
      if (const auto bounded = bounded_result(node->op->name)) return *bounded;
      if (node->op->name == "Mul" && node->inputs[0] == node->inputs[1]) return {0, infinity};
    }
  }
  return is_unsigned_integer(site.type(value).type) ? Range{0, infinity} : Range{};
}

}  // namespace loopglass::passes::rules
