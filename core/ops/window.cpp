#include "core/ops/window.h"

#include <fmt/format.h>
#include <algorithm>

namespace loopglass::ops {

namespace {

// Larger strides, kernels and pads are nobody's network, and smaller ones cannot overflow.
constexpr std::int64_t largest = std::int64_t{1} << 24;

Result<void> read_pads(const Attributes& attributes, Window& window) {
  const auto pads = TRY(per_axis(attributes, "pads", 2 * window.size(), 0, 0));
  for (std::size_t axis = 0; axis < window.size(); ++axis) {
    window[axis].pad_begin = pads[axis];
    window[axis].pad_end = pads[axis + window.size()];
  }
  return {};
}

// SAME pads so that the output has ceil(input / stride) elements; the odd one goes to the end
// (UPPER) or the beginning (LOWER).
void pad_same(WindowAxis& axis, bool upper) {
  axis.output = (axis.input + axis.stride - 1) / axis.stride;
  const std::int64_t total = std::max<std::int64_t>(0, axis.extent() - axis.input);
  axis.pad_begin = upper ? total / 2 : total - total / 2;
  axis.pad_end = total - axis.pad_begin;
}

Result<void> count_windows(WindowAxis& axis, bool round_up) {
  const std::int64_t slack = axis.input + axis.pad_begin + axis.pad_end - axis.reach();
  if (slack < 0)
    return misused(fmt::format(
        "a kernel that reaches over {} elements does not fit an input of {} padded by {} and {}",
        axis.reach(), axis.input, axis.pad_begin, axis.pad_end));
  axis.output = slack / axis.stride + 1;
  if (round_up && slack % axis.stride != 0 &&
      axis.output * axis.stride < axis.input + axis.pad_begin)
    ++axis.output;
  return {};
}

Result<void> check_sizes(const Window& window) {
  Shape padded;
  for (const WindowAxis& axis : window) padded.push_back(std::max(axis.input, axis.extent()));
  const auto count = checked_element_count(padded);
  if (!count || *count > Tensor::maximum_bytes)
    return fail(Code::ModelTooLarge,
                fmt::format("the padded input would be {}", to_string(padded)));
  return {};
}

}  // namespace

std::optional<std::int64_t> WindowAxis::window_without_elements() const {
  const auto start = [&](std::int64_t o) { return o * stride - pad_begin; };
  const auto sees_an_element = [&](std::int64_t o) {
    const std::int64_t skipped = start(o) < 0 ? (-start(o) + dilation - 1) / dilation : 0;
    return skipped < kernel && start(o) + skipped * dilation < input;
  };
  // Only those that reach over an end of the input are in doubt.
  for (std::int64_t o = 0; o < output && start(o) < 0; ++o)
    if (!sees_an_element(o)) return o;
  for (std::int64_t o = output - 1; o >= 0 && start(o) + reach() > input; --o)
    if (!sees_an_element(o)) return o;
  return std::nullopt;
}

Result<Integers> per_axis(const Attributes& attributes, const std::string& name, std::size_t count,
                          std::int64_t fallback, std::int64_t least) {
  if (!attributes.has(name) || attributes.integers(name).empty()) return Integers(count, fallback);
  const auto& values = attributes.integers(name);
  if (values.size() != count)
    return misused(
        fmt::format("'{}' has {} entries where {} are wanted", name, values.size(), count));
  for (const std::int64_t value : values)
    if (value < least || value > largest)
      return misused(fmt::format("{} is out of range for '{}'", value, name));
  return values;
}

Result<Window> window_of(const Attributes& attributes, std::span<const std::int64_t> input,
                         std::span<const std::int64_t> kernel) {
  const std::size_t count = input.size();
  if (kernel.size() != count)
    return misused(fmt::format("a kernel of rank {} on {} spatial axes", kernel.size(), count));
  const auto strides = TRY(per_axis(attributes, "strides", count, 1, 1));
  const auto dilations = TRY(per_axis(attributes, "dilations", count, 1, 1));
  Window window;
  for (std::size_t axis = 0; axis < count; ++axis) {
    if (kernel[axis] < 1 || kernel[axis] > largest || input[axis] < 1 ||
        input[axis] > (std::int64_t{1} << 40))
      return misused(fmt::format("a kernel of {} on an extent of {}", kernel[axis], input[axis]));
    window.push_back({.input = input[axis],
                      .kernel = kernel[axis],
                      .stride = strides[axis],
                      .dilation = dilations[axis]});
  }
  TRY_VOID(read_pads(attributes, window));
  if (attributes.has("auto_pad"))
    TRY_VOID(
        require_choice(attributes, "auto_pad", {"NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"}));
  const std::string mode = attributes.has("auto_pad") ? attributes.string("auto_pad") : "NOTSET";
  const bool round_up = attributes.has("ceil_mode") && attributes.integer("ceil_mode") != 0;
  for (WindowAxis& axis : window) {
    if (mode != "NOTSET" && (axis.pad_begin != 0 || axis.pad_end != 0))
      return misused(fmt::format("'pads' and auto_pad '{}' exclude one another", mode));
    if (mode == "SAME_UPPER" || mode == "SAME_LOWER") pad_same(axis, mode == "SAME_UPPER");
    TRY_VOID(count_windows(axis, round_up && mode == "NOTSET"));
    if (mode == "VALID" && round_up && (axis.input - axis.reach()) % axis.stride != 0)
      return fail(Code::AttributeUnsupported, "ceil_mode with auto_pad 'VALID'", {},
                  "the two ask for different output shapes; give 'pads' instead");
  }
  TRY_VOID(check_sizes(window));
  return window;
}

te::Tensor pad_for(te::Builder& builder, const te::Tensor& x, const Window& window,
                   const std::string& name, const Expr& value) {
  if (std::ranges::none_of(window, &WindowAxis::needs_padding)) return x;
  const std::size_t first = x.rank() - window.size();
  std::vector<Expr> shape = x.shape;
  for (std::size_t axis = 0; axis < window.size(); ++axis)
    if (window[axis].needs_padding()) shape[first + axis] = window[axis].extent();
  return builder.compute(name, shape, [&](const Indices& i) {
    Indices source = i;
    Expr inside = expr::boolean(true);
    for (std::size_t axis = 0; axis < window.size(); ++axis) {
      const WindowAxis& w = window[axis];
      source[first + axis] = i[first + axis] - w.pad_begin;
      if (w.pad_begin > 0) inside = inside && i[first + axis] >= w.pad_begin;
      if (w.extent() > w.pad_begin + w.input)
        inside = inside && i[first + axis] < w.pad_begin + w.input;
    }
    return expr::select(inside, expr::cast(value.type(), x(source)), value);
  });
}

std::vector<Expr> taps(const Window& window, std::span<const Expr> i, std::span<const Expr> r) {
  std::vector<Expr> result;
  for (std::size_t axis = 0; axis < window.size(); ++axis)
    result.push_back(i[axis] * window[axis].stride + r[axis] * window[axis].dilation);
  return result;
}

std::vector<Expr> kernel_extents(const Window& window) {
  std::vector<Expr> extents;
  for (const WindowAxis& axis : window) extents.emplace_back(axis.kernel);
  return extents;
}

}  // namespace loopglass::ops
