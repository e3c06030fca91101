#include "core/onnx/input_settings.h"

#include <fmt/format.h>
#include <algorithm>
#include <utility>

namespace loopglass::onnx {

namespace {

// nullopt: it has dimensions that are not fixed, or is no tensor.
std::optional<TensorType> fixed_type(const Signature& input) {
  if (has_open_shape(input) || !input.opaque.empty()) return std::nullopt;
  TensorType type{input.type, {}};
  for (const Dimension& dimension : input.shape) type.shape.push_back(dimension.extent);
  return type;
}

bool is_dimension(const std::string& symbol, const std::vector<Signature>& inputs) {
  return std::ranges::any_of(inputs, [&](const Signature& input) {
    return std::ranges::find(input.shape, symbol, &Dimension::symbol) != input.shape.end();
  });
}

// Nothing: the type does not hold it.
std::optional<Tensor> tensor_of(const TensorType& type, std::int64_t value) {
  return visit_type(type.type, [&](auto element) -> std::optional<Tensor> {
    using Element = decltype(element);
    if constexpr (std::is_same_v<Element, bool>) {
      if (value != 0 && value != 1) return std::nullopt;
    } else if constexpr (std::is_integral_v<Element>) {
      if (!std::in_range<Element>(value)) return std::nullopt;
    }
    return Tensor::of<Element>(type.shape, {static_cast<Element>(value)});
  });
}

}  // namespace

bool is_setting(const TensorType& type) {
  return type.is_known() && (is_integer(type.type) || type.type == DataType::Bool) &&
         checked_element_count(type.shape) == 1;
}

std::vector<std::string> settings_among(const std::vector<Signature>& inputs) {
  std::vector<std::string> names;
  for (const Signature& input : inputs)
    if (const auto type = fixed_type(input); type && is_setting(*type)) names.push_back(input.name);
  return names;
}

Result<std::map<std::string, Tensor>> take_settings(const std::vector<Signature>& inputs,
                                                    Symbols& symbols) {
  std::map<std::string, Tensor> values;
  for (const Signature& input : inputs) {
    const auto said = symbols.find(input.name);
    const auto type = fixed_type(input);
    if (said == symbols.end() || !type || !is_setting(*type) || is_dimension(input.name, inputs))
      continue;
    auto value = tensor_of(*type, said->second);
    if (!value)
      return fail(Code::ShapeBindingInvalid,
                  fmt::format("input '{}' is {}, which cannot be {}", input.name, to_string(*type),
                              said->second),
                  "--set");
    values.emplace(input.name, *std::move(value));
    symbols.erase(said);
  }
  return values;
}

}  // namespace loopglass::onnx
