// Conv and ConvTranspose, in any number of spatial dimensions, with groups, strides and dilations.
#include "core/ops/convolve.h"
#include "core/ops/families.h"
#include "core/ops/precision.h"

#include <fmt/format.h>
#include <algorithm>

namespace loopglass::ops {

namespace {

std::span<const std::int64_t> spatial(const Shape& shape) { return std::span(shape).subspan(2); }

// Ranks, and one element type among x, w and the bias.
Result<void> check_operands(const InferContext& context) {
  const TensorType &x = context.input(0), &w = context.input(1);
  TRY_VOID(require_type(context, 0, float_types));
  TRY_VOID(require_same_types(context));
  if (x.shape.size() < 3 || w.shape.size() != x.shape.size())
    return misused(fmt::format("input {} and weights {} do not fit", to_string(x), to_string(w)));
  return {};
}

Result<void> check_bias(const InferContext& context, std::int64_t filters) {
  if (context.has(2) && context.input(2).shape != Shape{filters})
    return misused(fmt::format("bias {} for {} filters", to_string(context.input(2)), filters));
  return {};
}

Result<void> check_kernel_shape(const Attributes& attributes, const Shape& weights) {
  if (attributes.has("kernel_shape") &&
      !std::ranges::equal(attributes.integers("kernel_shape"), spatial(weights)))
    return misused(fmt::format("kernel_shape differs from the weights' {}", to_string(weights)));
  return {};
}

// Which channel of x is the c-th of the group that filter k belongs to.
Expr channel(const Convolution& convolution, const Expr& k, const Expr& c) {
  if (convolution.groups == 1) return c;
  const Expr group =
      convolution.group_filters == 1 ? k : expr::floor_div(k, convolution.group_filters);
  return group * convolution.group_channels + c;
}

// A depthwise convolution has no channels to sum over.
bool sums_channels(const Convolution& convolution) {
  return convolution.groups == 1 || convolution.group_channels > 1;
}

// The last stages: bias and the way back to the element type.
te::Tensor finish(ComputeContext& context, const te::Tensor& sum) {
  const DataType type = context.outputs[0].type;
  if (!context.has(2)) return narrow(context.builder, sum, type, context.name);
  return context.builder.compute(context.name, sum.shape, [&](const Indices& i) {
    return expr::cast(type, sum(i) + widened(context.input(2)({i[1]})));
  });
}

std::string sum_name(const ComputeContext& context) {
  return context.has(2) ? context.name + "_conv"
                        : accumulating(context.name, context.outputs[0].type, "_conv");
}

Result<Types> infer_conv(const InferContext& context) {
  TRY_VOID(check_operands(context));
  const Convolution convolution =
      TRY(convolution_of(context.input(0), context.input(1), context.attributes));
  TRY_VOID(check_bias(context, convolution.output[1]));
  return Types{TensorType{context.input(0).type, convolution.output}};
}

Result<Computed> compute_conv(ComputeContext& context) {
  const te::Tensor &x = context.input(0), &w = context.input(1);
  const Convolution convolution = TRY(convolution_of(
      {x.type, te::concrete(x.shape)}, {w.type, te::concrete(w.shape)}, context.attributes));
  const te::Tensor padded = pad_for(context.builder, x, convolution.window, context.name + "_pad",
                                    expr::constant(x.type, 0));
  const te::Tensor sum = convolve(context.builder, sum_name(context), padded, w, convolution,
                                  [](Expr element, Expr weight, const Expr&) {
                                    return widened(std::move(element)) * widened(std::move(weight));
                                  });
  return std::vector{finish(context, sum)};
}

// A transposed convolution is a convolution, by the kernel turned round, of the input with stride -
// 1 zeros between its elements. `begin` zeros go before the first element.
struct TransposedAxis {
  std::int64_t input, kernel, stride, dilation, begin, output;
  std::int64_t reach() const { return (kernel - 1) * dilation + 1; }
};
struct Transposed {
  std::vector<TransposedAxis> axes;
  Convolution convolution;  // of the spread input; strides 1
};

// Pads of one axis and its output extent, from pads, output_shape or auto_pad.
Result<TransposedAxis> transposed_axis(TransposedAxis axis, std::int64_t output_padding,
                                       std::int64_t pad_begin, std::int64_t pad_end,
                                       std::optional<std::int64_t> wanted,
                                       const std::string& mode) {
  const std::int64_t full = (axis.input - 1) * axis.stride + output_padding + axis.reach();
  if (mode == "SAME_UPPER" || mode == "SAME_LOWER")
    wanted = wanted.value_or(axis.input * axis.stride);
  if (wanted) {
    const std::int64_t total = std::max<std::int64_t>(0, full - *wanted);
    pad_begin = mode == "SAME_UPPER" ? total / 2 : total - total / 2;
    axis.output = *wanted;
  } else {
    axis.output = full - pad_begin - pad_end;
  }
  if (axis.output < 1) return misused("the pads leave nothing of the output");
  axis.begin = axis.reach() - 1 - pad_begin;
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

Result<Transposed> transposed_of(const TensorType& x, const TensorType& w,
                                 const Attributes& attributes) {
  TRY_VOID(check_kernel_shape(attributes, w.shape));
  const std::int64_t groups = attributes.integer("group"), channels = x.shape[1];
  if (groups < 1 || channels % groups != 0 || w.shape[0] != channels)
    return misused(
        fmt::format("{} channels in {} groups with weights {}", channels, groups, to_string(w)));
  Transposed transposed{TRY(transposed_axes(x, w, attributes)),
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

Result<Types> infer_conv_transpose(const InferContext& context) {
  TRY_VOID(check_operands(context));
  const Transposed transposed =
      TRY(transposed_of(context.input(0), context.input(1), context.attributes));
  TRY_VOID(check_bias(context, transposed.convolution.output[1]));
  return Types{TensorType{context.input(0).type, transposed.convolution.output}};
}

// x with its elements `stride` apart and zeros everywhere else.
te::Tensor spread_input(ComputeContext& context, const te::Tensor& x,
                        const Transposed& transposed) {
  std::vector<Expr> shape{x.shape[0], x.shape[1]};
  for (const WindowAxis& axis : transposed.convolution.window) shape.emplace_back(axis.input);
  return context.builder.compute(context.name + "_pad", shape, [&](const Indices& i) {
    Indices source = i;
    Expr inside = expr::boolean(true);
    for (std::size_t axis = 0; axis < transposed.axes.size(); ++axis) {
      const TransposedAxis& t = transposed.axes[axis];
      const Expr position = i[axis + 2] - t.begin;
      source[axis + 2] = expr::floor_div(position, t.stride);
      inside = inside && position >= 0 && position < (t.input - 1) * t.stride + 1;
      if (t.stride > 1) inside = inside && expr::equal(expr::floor_mod(position, t.stride), 0);
    }
    return expr::select(inside, x(source), expr::constant(x.type, 0));
  });
}

Result<Computed> compute_conv_transpose(ComputeContext& context) {
  const te::Tensor &x = context.input(0), &w = context.input(1);
  const Transposed transposed = TRY(transposed_of(
      {x.type, te::concrete(x.shape)}, {w.type, te::concrete(w.shape)}, context.attributes));
  const Convolution& convolution = transposed.convolution;
  const te::Tensor spread = spread_input(context, x, transposed);
  std::vector<Expr> reduced = kernel_extents(convolution.window);
  const bool summed = sums_channels(convolution);
  if (summed) reduced.insert(reduced.begin(), convolution.group_channels);
  const te::Tensor sum = context.builder.reduce(
      sum_name(context), te::extents(convolution.output), reduced, te::Reducer::Sum,
      [&](const Indices& i, const Indices& r) {
        const std::span<const Expr> kernel = std::span(r).subspan(summed ? 1 : 0);
        const Expr c = channel(convolution, i[1], summed ? r[0] : Expr(0));
        Indices element{i[0], c},
            weight{c, convolution.groups == 1 ? i[1]
                                              : expr::floor_mod(i[1], convolution.group_filters)};
        for (const Expr& index : taps(convolution.window, std::span(i).subspan(2), kernel))
          element.push_back(index);
        for (std::size_t axis = 0; axis < kernel.size(); ++axis)
          weight.push_back(transposed.axes[axis].kernel - 1 - kernel[axis]);
        return widened(spread(element)) * widened(w(weight));
      });
  return std::vector{finish(context, sum)};
}

}  // namespace

std::vector<AttributeSpec> convolution_attributes() {
  return {
      attribute("auto_pad", "NOTSET", "NOTSET, VALID, SAME_UPPER or SAME_LOWER"),
      optional_attribute("dilations", AttributeKind::Ints,
                         "distance between kernel elements, per spatial axis; 1 by default"),
      attribute("group", std::int64_t{1}, "groups of channels that do not see one another"),
      optional_attribute("kernel_shape", AttributeKind::Ints, "must be the weights' when given"),
      optional_attribute("pads", AttributeKind::Ints,
                         "begins of all spatial axes, then ends; 0 by default"),
      optional_attribute("strides", AttributeKind::Ints, "per spatial axis; 1 by default"),
  };
}

Result<Convolution> convolution_of(const TensorType& x, const TensorType& w,
                                   const Attributes& attributes) {
  TRY_VOID(check_kernel_shape(attributes, w.shape));
  const std::int64_t groups = attributes.integer("group"), channels = x.shape[1],
                     filters = w.shape[0];
  if (groups < 1 || channels % groups != 0 || filters % groups != 0 ||
      w.shape[1] != channels / groups)
    return misused(
        fmt::format("{} channels in {} groups with weights {}", channels, groups, to_string(w)));
  Convolution convolution{TRY(window_of(attributes, spatial(x.shape), spatial(w.shape))),
                          groups,
                          channels / groups,
                          filters / groups,
                          {x.shape[0], filters}};
  for (const WindowAxis& axis : convolution.window) convolution.output.push_back(axis.output);
  return convolution;
}

te::Tensor convolve(te::Builder& builder, const std::string& name, const te::Tensor& x,
                    const te::Tensor& w, const Convolution& convolution,
                    const std::function<Expr(Expr x, Expr w, const Expr& filter)>& term) {
  std::vector<Expr> reduced = kernel_extents(convolution.window);
  const bool summed = sums_channels(convolution);
  if (summed) reduced.insert(reduced.begin(), convolution.group_channels);
  return builder.reduce(
      name, te::extents(convolution.output), reduced, te::Reducer::Sum,
      [&](const Indices& i, const Indices& r) {
        const std::span<const Expr> kernel = std::span(r).subspan(summed ? 1 : 0);
        const Expr c = summed ? r[0] : Expr(0);
        Indices element{i[0], channel(convolution, i[1], c)}, weight{i[1], c};
        for (const Expr& index : taps(convolution.window, std::span(i).subspan(2), kernel))
          element.push_back(index);
        weight.insert(weight.end(), kernel.begin(), kernel.end());
        return term(x(element), w(weight), i[1]);
      });
}

std::vector<OpDef> convolution() {
  std::vector<AttributeSpec> transposed = convolution_attributes();
  transposed.push_back(optional_attribute("output_padding", AttributeKind::Ints,
                                          "added to the end of each output axis; 0 by default"));
  transposed.push_back(optional_attribute("output_shape", AttributeKind::Ints,
                                          "spatial extents wanted; decides the pads"));
  return {
      {.name = "Conv",
       .family = Family::Convolution,
       .doc = "Slides each filter over the input and sums the products over channels and kernel.",
       .inputs = {{"X", Arity::Required, "N x C x spatial"},
                  {"W", Arity::Required, "K x C/group x kernel"},
                  {"B", Arity::Optional, "one bias a filter"}},
       .outputs = {{"Y", Arity::Required, "N x K x spatial"}},
       .attributes = convolution_attributes(),
       .infer = infer_conv,
       .compute = compute_conv,
       .onnx = {{.name = "Conv"}}},
      {.name = "ConvTranspose",
       .family = Family::Convolution,
       .doc = "The gradient of Conv with respect to its input: each element spreads a filter over "
              "the output.",
       .inputs = {{"X", Arity::Required, "N x C x spatial"},
                  {"W", Arity::Required, "C x K/group x kernel"},
                  {"B", Arity::Optional, "one bias an output channel"}},
       .outputs = {{"Y", Arity::Required, "N x K x spatial"}},
       .attributes = transposed,
       .infer = infer_conv_transpose,
       .compute = compute_conv_transpose,
       .onnx = {{.name = "ConvTranspose"}}},
  };
}

}  // namespace loopglass::ops
