#include "core/ops/padded_window.h"

#include <algorithm>
#include <limits>

namespace loopglass::ops {

namespace {

double lowest(DataType type) {
  return visit_type(type, [](auto element) {
    using T = decltype(element);
    if constexpr (std::is_integral_v<T>)
      return static_cast<double>(std::numeric_limits<T>::lowest());
    else return -std::numeric_limits<double>::infinity();
  });
}

bool has_pads(const Window& window) {
  return std::ranges::any_of(
      window, [](const WindowAxis& axis) { return axis.pad_begin != 0 || axis.pad_end != 0; });
}

}  // namespace

std::optional<PaddedWindow> padded_window_of(const OpDef& op,
                                             std::span<const TensorType* const> inputs,
                                             const Attributes& attributes,
                                             std::size_t output_count) {
  const bool max = op.name == "MaxPool", average = op.name == "AveragePool",
             convolution = op.name == "Conv";
  if (!max && !average && !convolution && op.name != "LpPool") return std::nullopt;
  const auto spatial = std::span(inputs[0]->shape).subspan(first_spatial);
  const auto kernel = convolution
                          ? std::span(inputs[1]->shape).subspan(first_spatial)
                          : std::span<const std::int64_t>(attributes.integers("kernel_shape"));
  const auto window = window_of(attributes, spatial, kernel);
  if (!window) return std::nullopt;
  PaddedWindow padded{*window, max ? lowest(inputs[0]->type) : 0, true};
  if (max) padded.counts = output_count == 1;
  if (average) padded.counts = attributes.integer("count_include_pad") != 0 || !has_pads(*window);
  return padded;
}

Attributes with_pads(const OpDef& op, Attributes attributes, Integers pads) {
  attributes.set("auto_pad", "NOTSET");
  attributes.set("pads", std::move(pads));
  if (op.name == "AveragePool") attributes.set("count_include_pad", std::int64_t{1});
  return attributes;
}

}  // namespace loopglass::ops
