// Conv in any number of spatial dimensions, with groups, strides and dilations, and what it shares
// with its transpose.
#include "core/ops/convolve.h"
#include "core/ops/families.h"
#include "core/ops/precision.h"

#include <fmt/format.h>
#include <algorithm>

namespace loopglass::ops {

namespace {

std::span<const std::int64_t> spatial(const Shape& shape) { return std::span(shape).subspan(2); }

Result<Types> infer_conv(const InferContext& context) {
  TRY_VOID(check_convolution_operands(context));
  const Convolution convolution =
      TRY(convolution_of(context.input(0), context.input(1), context.attributes));
  TRY_VOID(check_convolution_bias(context, convolution.output[1]));
  return Types{TensorType{context.input(0).type, convolution.output}};
}

Result<Computed> compute_conv(ComputeContext& context) {
  const te::Tensor &x = context.input(0), &w = context.input(1);
  const Convolution convolution = TRY(convolution_of(
      {x.type, te::concrete(x.shape)}, {w.type, te::concrete(w.shape)}, context.attributes));
  // The copy that stands around each element is of what it is multiplied as: a float of 16 bits is
  // widened once there, and not at each tap and filter.
  const te::Tensor padded = pad_for(context.builder, x, convolution.window, context.name + "_pad",
                                    expr::constant(accumulator_type(x.type), 0));
  const te::Tensor sum = convolve(context.builder, convolution_sum_name(context), padded, w,
                                  convolution, [](Expr element, Expr weight, const Expr&) {
                                    return widened(std::move(element)) * widened(std::move(weight));
                                  });
  return std::vector{finish_convolution(context, sum)};
}

}  // namespace

Result<void> check_convolution_operands(const InferContext& context) {
  const TensorType &x = context.input(0), &w = context.input(1);
  TRY_VOID(require_type(context, 0, float_types));
  TRY_VOID(require_same_types(context));
  if (x.shape.size() < 3 || w.shape.size() != x.shape.size())
    return misused(fmt::format("input {} and weights {} do not fit", to_string(x), to_string(w)));
  return {};
}

Result<void> check_convolution_bias(const InferContext& context, std::int64_t filters) {
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

Expr channel_of(const Convolution& convolution, const Expr& k, const Expr& c) {
  if (convolution.groups == 1) return c;
  const Expr group =
      convolution.group_filters == 1 ? k : expr::floor_div(k, convolution.group_filters);
  return group * convolution.group_channels + c;
}

bool sums_channels(const Convolution& convolution) {
  return convolution.groups == 1 || convolution.group_channels > 1;
}

te::Tensor finish_convolution(ComputeContext& context, const te::Tensor& sum) {
  const DataType type = context.outputs[0].type;
  if (!context.has(2)) return narrow(context.builder, sum, type, context.name);
  return context.builder.compute(context.name, sum.shape, [&](const Indices& i) {
    return expr::cast(type, sum(i) + widened(context.input(2)({i[1]})));
  });
}

std::string convolution_sum_name(const ComputeContext& context) {
  return context.has(2) ? context.name + "_conv"
                        : accumulating(context.name, context.outputs[0].type, "_conv");
}

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
        Indices element{i[0], channel_of(convolution, i[1], c)}, weight{i[1], c};
        for (const Expr& index : taps(convolution.window, std::span(i).subspan(2), kernel))
          element.push_back(index);
        weight.insert(weight.end(), kernel.begin(), kernel.end());
        return term(x(element), w(weight), i[1]);
      });
}

std::vector<OpDef> convolution() {
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
  };
}

}  // namespace loopglass::ops
