#include "core/ops/transposed_convolution.h"

#include "core/ops/families.h"
#include "core/ops/precision.h"

#include <fmt/format.h>

#include <algorithm>

namespace loopglass::ops {

namespace {

constexpr const char* transposed_name = "ConvTranspose";

// Pads of one axis and its output extent, from pads, output_shape or auto_pad.
Result<TransposedAxis> transposed_axis(TransposedAxis axis, std::int64_t output_padding,
                                       std::int64_t pad_begin, std::int64_t pad_end,
                                       std::optional<std::int64_t> wanted,
                                       const std::string& mode) {
  const std::int64_t full = (axis.input - 1) * axis.stride + output_padding + axis.reach();
  if (mode == "SAME_UPPER" || mode == "SAME_LOWER")
    // Where strides are wider than the kernel there is nothing to pad: the result is shorter, as
    // ONNX's shape inference has it.
    wanted = wanted.value_or(std::min(full, axis.input * axis.stride));
  if (wanted) {
    const std::int64_t total = std::max<std::int64_t>(0, full - *wanted);
    pad_begin = mode == "SAME_UPPER" ? total / 2 : total - total / 2;
    axis.output = *wanted;
  } else {
    axis.output = full - pad_begin - pad_end;
  }
  if (axis.output < 1) return misused("the pads leave nothing of the output");
  axis.pad_begin = pad_begin;
  return axis;
}

Result<std::vector<TransposedAxis>> transposed_axes(const TensorType& x, const TensorType& w,
                                                    const Attributes& attributes) {
  const std::size_t count = x.shape.size() - 2;
  const auto strides = TRY(per_axis(attributes, "strides", count, 1, 1));
  const auto dilations = TRY(per_axis(attributes, "dilations", count, 1, 1));
  const auto output_padding = TRY(per_axis(attributes, "output_padding", count, 0, 0));
  const auto pads = TRY(per_axis(attributes, "pads", 2 * count, 0, 0));
  const auto output_shape = TRY(per_axis(attributes, "output_shape", count, 0, 1));
  TRY_VOID(require_choice(attributes, "auto_pad", {"NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"}));
  const std::string& mode = attributes.string("auto_pad");
  if (mode != "NOTSET" && std::ranges::any_of(pads, [](std::int64_t pad) { return pad != 0; }))
    return misused(fmt::format("'pads' and auto_pad '{}' exclude one another", mode));
  std::vector<TransposedAxis> axes;
  for (std::size_t axis = 0; axis < count; ++axis) {
    const std::int64_t input = x.shape[axis + 2], kernel = w.shape[axis + 2];
    if (input < 1 || kernel < 1 || input > (1 << 24) || kernel > (1 << 24))
      return misused(fmt::format("a kernel of {} on an extent of {}", kernel, input));
    const auto wanted = output_shape[axis] > 0 ? std::optional(output_shape[axis]) : std::nullopt;
    axes.push_back(
        TRY(transposed_axis({input, kernel, strides[axis], dilations[axis], 0, 0},
                            output_padding[axis], pads[axis], pads[axis + count], wanted, mode)));
  }
  return axes;
}

Result<Types> infer_conv_transpose(const InferContext& context) {
  TRY_VOID(check_convolution_operands(context));
  const TransposedConvolution transposed =
      TRY(transposed_convolution_of(context.input(0), context.input(1), context.attributes));
  TRY_VOID(check_convolution_bias(context, transposed.convolution.output[1]));
  return Types{TensorType{context.input(0).type, transposed.convolution.output}};
}

// x with its elements `stride` apart and zeros everywhere else: reach - 1 - pad_begin before the
// first.
te::Tensor spread_input(ComputeContext& context, const te::Tensor& x,
                        const TransposedConvolution& transposed) {
  std::vector<Expr> shape{x.shape[0], x.shape[1]};
  for (const WindowAxis& axis : transposed.convolution.window) shape.emplace_back(axis.input);
  return context.builder.compute(context.name + "_pad", shape, [&](const Indices& i) {
    Indices source = i;
    Expr inside = expr::boolean(true);
    for (std::size_t axis = 0; axis < transposed.axes.size(); ++axis) {
      const TransposedAxis& t = transposed.axes[axis];
      const Expr position = i[axis + 2] - (t.reach() - 1 - t.pad_begin);
      source[axis + 2] = expr::floor_div(position, t.stride);
      inside = inside && position >= 0 && position < (t.input - 1) * t.stride + 1;
      if (t.stride > 1) inside = inside && expr::equal(expr::floor_mod(position, t.stride), 0);
    }
    return expr::select(inside, x(source), expr::constant(x.type, 0));
  });
}

Result<Computed> compute_conv_transpose(ComputeContext& context) {
  const te::Tensor &x = context.input(0), &w = context.input(1);
  const TransposedConvolution transposed = TRY(transposed_convolution_of(
      {x.type, te::concrete(x.shape)}, {w.type, te::concrete(w.shape)}, context.attributes));
  const Convolution& convolution = transposed.convolution;
  const te::Tensor spread = spread_input(context, x, transposed);
  std::vector<Expr> reduced = kernel_extents(convolution.window);
  const bool summed = sums_channels(convolution);
  if (summed) reduced.insert(reduced.begin(), convolution.group_channels);
  const te::Tensor sum = context.builder.reduce(
      convolution_sum_name(context), te::extents(convolution.output), reduced, te::Reducer::Sum,
      [&](const Indices& i, const Indices& r) {
        const std::span<const Expr> kernel = std::span(r).subspan(summed ? 1 : 0);
        const Expr c = channel_of(convolution, i[1], summed ? r[0] : Expr(0));
        Indices element{i[0], c},
            weight{c, convolution.groups == 1 ? i[1]
                                              : expr::floor_mod(i[1], convolution.group_filters)};
        for (const Expr& index : taps(convolution.window, std::span(i).subspan(2), kernel))
          element.push_back(index);
        for (std::size_t axis = 0; axis < kernel.size(); ++axis)
          weight.push_back(transposed.axes[axis].kernel - 1 - kernel[axis]);
        return widened(spread(element)) * widened(w(weight));
      });
  return std::vector{finish_convolution(context, sum)};
}

}  // namespace

bool is_transposed_convolution(const OpDef& op) { return op.name == transposed_name; }

Result<TransposedConvolution> transposed_convolution_of(const TensorType& x, const TensorType& w,
                                                        const Attributes& attributes) {
  TRY_VOID(check_kernel_shape(attributes, w.shape));
  const std::int64_t groups = attributes.integer("group"), channels = x.shape[1];
  if (groups < 1 || channels % groups != 0 || w.shape[0] != channels)
    return misused(
        fmt::format("{} channels in {} groups with weights {}", channels, groups, to_string(w)));
  TransposedConvolution transposed{TRY(transposed_axes(x, w, attributes)),
                                   {{}, groups, channels / groups, w.shape[1], {}}};
  transposed.convolution.output = {x.shape[0], w.shape[1] * groups};
  Shape spread{x.shape[0], channels};
  for (const TransposedAxis& axis : transposed.axes) {
    transposed.convolution.output.push_back(axis.output);
    transposed.convolution.window.push_back({.input = axis.output + axis.reach() - 1,
                                             .kernel = axis.kernel,
                                             .dilation = axis.dilation,
                                             .output = axis.output});
    spread.push_back(axis.output + axis.reach() - 1);
  }
  const auto size = checked_element_count(spread);
  if (!size || *size > Tensor::maximum_bytes)
    return fail(Code::ModelTooLarge,
                fmt::format("the padded input would be {}", to_string(spread)));
  return transposed;
}

std::vector<OpDef> transposed_convolution() {
  std::vector<AttributeSpec> transposed = convolution_attributes();
  transposed.push_back(optional_attribute("output_padding", AttributeKind::Ints,
                                          "added to the end of each output axis; 0 by default"));
  transposed.push_back(optional_attribute("output_shape", AttributeKind::Ints,
                                          "spatial extents wanted; decides the pads"));
  return {{.name = transposed_name,
           .family = Family::Convolution,
           .doc =
               "The gradient of Conv with respect to its input: each element spreads a filter over "
               "the output.",
           .inputs = {{"X", Arity::Required, "N x C x spatial"},
                      {"W", Arity::Required, "C x K/group x kernel"},
                      {"B", Arity::Optional, "one bias an output channel"}},
           .outputs = {{"Y", Arity::Required, "N x K x spatial"}},
           .attributes = transposed,
           .infer = infer_conv_transpose,
           .compute = compute_conv_transpose,
           .onnx = {{.name = transposed_name}}}};
}

}  // namespace loopglass::ops
