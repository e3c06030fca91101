// Resize, and Upsample, which is Resize with fewer choices.
//
// Everything about the sampling positions is known beforehand, and exact: see resized_axis.h.
#include "core/ops/families.h"
#include "core/ops/precision.h"
#include "core/ops/resampling.h"
#include "core/ops/resized_axis.h"

#include <fmt/format.h>

#include <cmath>

namespace loopglass::ops {

namespace {

Result<std::vector<ResizedAxis>> plan(const Shape& shape, const Attributes& attributes) {
  TRY_VOID(require_choice(attributes, "mode", {"nearest", "linear", "cubic"}));
  TRY_VOID(
      require_choice(attributes, "coordinate_transformation_mode",
                     {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners",
                      "asymmetric", "tf_half_pixel_for_nn", "tf_crop_and_resize"}));
  TRY_VOID(require_choice(attributes, "nearest_mode",
                          {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}));
  TRY_VOID(require_choice(attributes, "keep_aspect_ratio_policy",
                          {"stretch", "not_larger", "not_smaller"}));
  return resized_axes(shape, attributes);
}

// --- interpolation ------------------------------------------------------------------------------

struct Sample {
  std::vector<Expr> taps, weights;
};

class Interpolation {
 public:
  Interpolation(const te::Tensor& x, std::vector<ResizedAxis> axes, const Attributes& attributes)
      : axes_(std::move(axes)),
        attributes_(attributes),
        type_(is_float(x.type) ? accumulator_type(x.type) : DataType::Float32) {}

  // The axes on which an output element is not simply the input element of that index.
  std::vector<std::size_t> moving() const {
    std::vector<std::size_t> result;
    for (std::size_t axis = 0; axis < axes_.size(); ++axis)
      if (!axes_[axis].stays()) result.push_back(axis);
    return result;
  }
  std::int64_t output(std::size_t axis) const { return axes_[axis].output; }

  // One stage that interpolates along these axes.
  te::Tensor along(te::Builder& builder, const std::string& name, const te::Tensor& x,
                   const std::vector<std::size_t>& moving,
                   const std::function<Expr(const Indices&, Expr)>& finish) const {
    std::vector<Expr> shape = x.shape;
    for (const std::size_t axis : moving) shape[axis] = axes_[axis].output;
    return builder.compute(name, shape, [&](const Indices& i) {
      std::vector<Sample> samples;
      for (const std::size_t axis : moving) samples.push_back(sample(axis, i[axis]));
      const std::function<Expr(std::size_t, const Indices&)> blend = [&](std::size_t k,
                                                                         const Indices& source) {
        if (k == moving.size()) return expr::cast(type_, x(source));
        Expr sum;
        for (std::size_t tap = 0; tap < samples[k].taps.size(); ++tap) {
          const Expr term = samples[k].weights[tap] *
                            blend(k + 1, replaced(source, moving[k], samples[k].taps[tap]));
          sum = sum.defined() ? sum + term : term;
        }
        return sum;
      };
      return finish(i, blend(0, i));
    });
  }

 private:
  Sample sample(std::size_t axis, const Expr& x) const {
    return attributes_.string("mode") == "linear" ? linear(axis, x) : cubic(axis, x);
  }

  Sample linear(std::size_t axis, const Expr& x) const {
    const Expr left = axes_[axis].before_inside(x),
               ratio = axes_[axis].ratio_inside(x, left, type_);
    return {{left, expr::min(left + 1, axes_[axis].input - 1)},
            {expr::constant(type_, 1) - ratio, ratio}};
  }

  Sample cubic(std::size_t axis, const Expr& x) const {
    const Expr second = axes_[axis].before(x);
    const auto weights =
        cubic_weights(axes_[axis].ratio(x, second, type_), attributes_.real("cubic_coeff_a"));
    Sample sample;
    Expr total = expr::constant(type_, 0);
    for (int tap = 0; tap < 4; ++tap) {
      const Expr index = second + (tap - 1);
      Expr weight = weights[static_cast<std::size_t>(tap)];
      if (excludes_outside())
        weight =
            expr::select(index >= 0 && index < axes_[axis].input, weight, expr::constant(type_, 0));
      total = total + weight;
      sample.taps.push_back(clamp_index(index, axes_[axis].input));
      sample.weights.push_back(weight);
    }
    if (excludes_outside())
      for (Expr& weight : sample.weights) weight = weight / total;
    return sample;
  }
  bool excludes_outside() const { return attributes_.integer("exclude_outside") != 0; }

  std::vector<ResizedAxis> axes_;
  const Attributes& attributes_;
  DataType type_;
};

// --- Resize -------------------------------------------------------------------------------------

Result<Types> infer_resize(const InferContext& context) {
  const TensorType& x = context.input(0);
  const std::vector<ResizedAxis> axes = TRY(plan(x.shape, context.attributes));
  if (context.attributes.string("mode") != "nearest")
    TRY_VOID(require_type(context, 0, float_types));
  Shape output;
  for (const ResizedAxis& axis : axes) output.push_back(axis.output);
  return Types{{x.type, output}};
}

te::Tensor resize_nearest(ComputeContext& context, const std::vector<ResizedAxis>& axes,
                          const std::function<Expr(const Indices&, Expr)>& finish) {
  const te::Tensor& x = context.input(0);
  const std::string& mode = context.attributes.string("nearest_mode");
  return context.builder.compute(context.name, te::extents(context.outputs[0].shape),
                                 [&](const Indices& i) {
                                   Indices source;
                                   for (std::size_t axis = 0; axis < axes.size(); ++axis)
                                     source.push_back(axes[axis].nearest(i[axis], mode));
                                   return finish(i, x(source));
                                 });
}

Result<Computed> compute_resize(ComputeContext& context) {
  const te::Tensor& x = context.input(0);
  const std::vector<ResizedAxis> axes = TRY(plan(shape_of(x), context.attributes));
  const Interpolation interpolation(x, axes, context.attributes);
  const bool crops =
      context.attributes.string("coordinate_transformation_mode") == "tf_crop_and_resize";
  const auto finish = [&](const Indices& i, Expr value) {
    Expr outside = expr::boolean(false);
    for (std::size_t axis = 0; crops && axis < axes.size(); ++axis)
      outside = outside || axes[axis].outside(i[axis]);
    const Expr beyond =
        expr::constant(value.type(), context.attributes.real("extrapolation_value"));
    return expr::cast(x.type, expr::select(outside, beyond, value));
  };
  const std::string& mode = context.attributes.string("mode");
  if (mode == "nearest") return Computed{resize_nearest(context, axes, finish)};
  std::vector<std::size_t> moving = interpolation.moving();
  te::Tensor current = x;
  // One axis after the other is less work than all together.
  for (; moving.size() > 1; moving.erase(moving.begin()))
    current =
        interpolation.along(context.builder, context.name + "_axis", current, {moving.front()},
                            [](const Indices&, Expr value) { return value; });
  return Computed{interpolation.along(context.builder, context.name, current, moving, finish)};
}

// --- Upsample -----------------------------------------------------------------------------------

// Upsample, and Resize before opset 11: positions are x / scale. What nearest means between two
// elements was said for enlarging only. Opset 10 withdrew Upsample; a model that has it still means
// this.
Result<Attributes> from_upsample(Attributes attributes, const InferContext& context) {
  attributes.set("coordinate_transformation_mode", std::string("asymmetric"));
  attributes.set("nearest_mode", std::string("floor"));
  if (!attributes.has("mode")) attributes.set("mode", std::string("nearest"));
  const Shape& shape = context.input(0).shape;
  if (!attributes.has("scales") || attributes.reals("scales").size() != shape.size())
    return misused("it needs a scale for each axis");
  if (attributes.string("mode") != "nearest") return attributes;
  bool enlarges = false, nearly_whole = false;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    const double scale = attributes.reals("scales")[k], step = 1 / scale;
    enlarges = enlarges || scale > 1;
    if (!(scale > 0) || scale >= 1) continue;
    nearly_whole = nearly_whole || step != std::round(step);
    if (std::abs(step - std::round(step)) * static_cast<double>(shape[k]) * scale > 1e-4)
      return unsupported_attribute(
          fmt::format("nearest with a scale of {}, which falls between elements", scale));
  }
  // One over 3 is no float: the element that is meant is the nearest.
  if (nearly_whole && enlarges)
    return unsupported_attribute("nearest that enlarges one axis and shrinks another unevenly");
  if (nearly_whole) attributes.set("nearest_mode", std::string("round_prefer_floor"));
  return attributes;
}

// ONNX 18 knows filters that cover all elements an output element stands for.
Result<Attributes> without_antialias(Attributes attributes, const InferContext&) {
  if (attributes.has("antialias") && attributes.integer("antialias") != 0)
    return unsupported_attribute("antialias = 1");
  attributes.erase("antialias");
  return attributes;
}

Result<Attributes> before_symmetry(Attributes attributes, const InferContext& context) {
  if (attributes.has("coordinate_transformation_mode") &&
      attributes.string("coordinate_transformation_mode") == "half_pixel_symmetric")
    return misused("ONNX knows half_pixel_symmetric from operator set 19 on");
  return without_antialias(std::move(attributes), context);
}

}  // namespace

std::vector<OpDef> resize() {
  const std::vector<OnnxMapping::Bound> bound{{1, "roi"}, {2, "scales"}, {3, "sizes"}};
  std::vector<OpDef> operators{
      {.name = "Resize",
       .family = Family::Resize,
       .doc = "Samples the input at positions evenly apart: the nearest element, or a linear or "
              "cubic blend.",
       .inputs = {{"X", Arity::Required, ""}},
       .outputs = {{"Y", Arity::Required, "of the shape that scales or sizes ask for"}},
       .attributes = {attribute("mode", "nearest", "nearest, linear or cubic"),
                      attribute("coordinate_transformation_mode", "half_pixel",
                                "from output to input positions"),
                      attribute("nearest_mode", "round_prefer_floor",
                                "round_prefer_floor, round_prefer_ceil, floor or ceil"),
                      attribute("cubic_coeff_a", -0.75, "slope of the cubic at its neighbours"),
                      attribute("exclude_outside", std::int64_t{0},
                                "1: samples outside the input have no weight"),
                      attribute("extrapolation_value", 0.0,
                                "what tf_crop_and_resize finds outside the input"),
                      attribute("keep_aspect_ratio_policy", "stretch",
                                "stretch, or one scale for all sizes: not_larger or not_smaller"),
                      optional_attribute(
                          "axes", AttributeKind::Ints,
                          "those that roi, scales and sizes speak of; all by default"),
                      optional_attribute("roi", AttributeKind::Floats,
                                         "starts of all axes, then ends, as fractions"),
                      optional_attribute("scales", AttributeKind::Floats,
                                         "output over input extent, per axis"),
                      optional_attribute("sizes", AttributeKind::Ints,
                                         "output extents, instead of scales")},
       .infer = infer_resize,
       .compute = compute_resize,
       .onnx =
           {{.name = "Resize", .since = 19, .bound = bound, .adapt = without_antialias},
            {.name = "Resize", .since = 11, .until = 18, .bound = bound, .adapt = before_symmetry},
            {.name = "Resize",
             .since = 10,
             .until = 10,
             .bound = {{1, "scales"}},
             .adapt = from_upsample},
            {.name = "Upsample", .since = 9, .bound = {{1, "scales"}}, .adapt = from_upsample},
            {.name = "Upsample", .since = 7, .until = 8, .adapt = from_upsample}},
       .relay_kind = PatternKind::Injective},
  };
  for (OpDef& op : grid_sample_operators()) operators.push_back(std::move(op));
  return operators;
}

}  // namespace loopglass::ops
