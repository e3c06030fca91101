// MaxUnpool: the way back from MaxPool.
#include "core/ops/image_axes.h"
#include "core/ops/pooling.h"
#include "core/ops/window.h"

#include <fmt/format.h>

namespace loopglass::ops {

namespace {

// What MaxPool had before it: the inverse of its shape rule.
Result<Shape> unpooled(const Shape& input, const Attributes& attributes) {
  const std::size_t count = input.size() - first_spatial;
  const auto kernel = TRY(per_axis(attributes, "kernel_shape", count, 1, 1));
  const auto strides = TRY(per_axis(attributes, "strides", count, 1, 1));
  const auto pads = TRY(per_axis(attributes, "pads", 2 * count, 0, 0));
  Shape output{input[0], input[1]};
  for (std::size_t axis = 0; axis < count; ++axis) {
    output.push_back((input[first_spatial + axis] - 1) * strides[axis] + kernel[axis] - pads[axis] -
                     pads[axis + count]);
    if (output.back() < 1) return misused("the pads leave nothing of the output");
  }
  return output;
}

Result<Types> infer_max_unpool(const InferContext& context) {
  TRY_VOID(require_type(context, 0, number_types));
  if (context.input(0).shape.size() <= first_spatial)
    return misused(fmt::format("input {} has no spatial axes", to_string(context.input(0))));
  const TensorType &x = context.input(0), &positions = context.input(1);
  if (positions.type != DataType::Int64 || positions.shape != x.shape)
    return misused(fmt::format("indices {} for an input {}", to_string(positions), to_string(x)));
  Shape output = TRY(unpooled(x.shape, context.attributes));
  if (context.attributes.has("output_shape")) {
    const Integers& wanted = context.attributes.integers("output_shape");
    bool fits = wanted.size() == output.size() && wanted[0] == output[0] && wanted[1] == output[1];
    for (std::size_t axis = first_spatial; fits && axis < output.size(); ++axis)
      fits = wanted[axis] >= output[axis];
    if (!fits)
      return misused(
          fmt::format("output_shape {} is less than {}", to_string(wanted), to_string(output)));
    output = wanted;
  }
  return Types{{x.type, output}};
}

// Each output element looks for the last input element that names it. The indices count in the
// tensor that was pooled, which output_shape may enlarge.
Result<Computed> compute_max_unpool(ComputeContext& context) {
  const te::Tensor &x = context.input(0), &positions = context.input(1);
  const Shape shape = shape_of(x), counted = TRY(unpooled(shape, context.attributes));
  const te::Tensor source = context.builder.reduce(
      context.name + "_source", te::extents(context.outputs[0].shape), x.shape, te::Reducer::Max,
      [&](const Indices& i, const Indices& r) {
        return expr::select(expr::equal(positions(r), linear_index(i, counted)),
                            linear_index(r, shape), Expr(-1));
      });
  return Computed{context.builder.compute(context.name, source.shape, [&](const Indices& i) {
    Expr named = source(i) >= 0;
    for (std::size_t axis = first_spatial; axis < shape.size(); ++axis)
      if (context.outputs[0].shape[axis] > counted[axis]) named = named && i[axis] < counted[axis];
    return expr::select(named, x(indices_at(source(i), shape)), expr::constant(x.type, 0));
  })};
}

}  // namespace

OpDef max_unpool() {
  const auto of_pooling = [](const char* name) {
    return optional_attribute(name, AttributeKind::Ints, "the pooling's");
  };
  return {.name = "MaxUnpool",
          .family = Family::Pooling,
          .doc = "Puts each element back where MaxPool found it, among zeros.",
          .inputs = {{"X", Arity::Required, "N x C x windows"},
                     {"I", Arity::Required, "positions in the flattened output"}},
          .outputs = {{"Y", Arity::Required, "N x C x spatial"}},
          .attributes = {required_attribute("kernel_shape", AttributeKind::Ints, "the pooling's"),
                         of_pooling("pads"), of_pooling("strides"),
                         optional_attribute("output_shape", AttributeKind::Ints,
                                            "a greater shape for the output")},
          .infer = infer_max_unpool,
          .compute = compute_max_unpool,
          .onnx = {{.name = "MaxUnpool", .bound = {{2, "output_shape"}}}}};
}

}  // namespace loopglass::ops
