// Resize, and Upsample, which is Resize with fewer choices.
//
// Everything about the sampling positions is known beforehand. They are computed in float32, as
// other runtimes do; where the resulting index can be written in exact integer arithmetic it is, so
// that loops over the output stay affine where the scale allows.
#include "core/ops/families.h"
#include "core/ops/precision.h"
#include "core/ops/resampling.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

namespace loopglass::ops {

namespace {

struct ResizedAxis {
  std::int64_t input, output;
  double scale;
  double length;              // of the resized axis, before it is rounded down to `output`
  double start = 0, end = 1;  // the part of the input that is resized (roi)
};

// --- attributes ---------------------------------------------------------------------------------

bool given(const Attributes& attributes, const std::string& name) {
  const AttributeValue* value = attributes.find(name);
  if (value == nullptr) return false;
  return kind(*value) == AttributeKind::Ints ? !attributes.integers(name).empty()
                                             : !attributes.reals(name).empty();
}

Result<ResizedAxis> axis_by_scale(std::int64_t input, double scale) {
  if (!(scale > 0) || scale > 1e6) return misused(fmt::format("a scale of {}", scale));
  const float length = static_cast<float>(input) * static_cast<float>(scale);
  const auto output = static_cast<std::int64_t>(std::floor(length));
  if (output < 1)
    return misused(fmt::format("a scale of {} leaves nothing of an extent of {}", scale, input));
  return ResizedAxis{input, output, scale, static_cast<double>(input) * scale};
}

Result<std::vector<ResizedAxis>> resized_axes(const Shape& shape, const Attributes& attributes) {
  const bool by_scale = given(attributes, "scales");
  if (by_scale == given(attributes, "sizes"))
    return misused("one of 'scales' and 'sizes' decides the output's shape");
  const std::size_t entries =
      by_scale ? attributes.reals("scales").size() : attributes.integers("sizes").size();
  if (entries != shape.size())
    return misused(
        fmt::format("{} scales or sizes for an input of rank {}", entries, shape.size()));
  std::vector<ResizedAxis> axes;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] < 1 || shape[axis] > (1 << 24))
      return misused(fmt::format("an extent of {} cannot be resized", shape[axis]));
    if (by_scale) {
      axes.push_back(TRY(axis_by_scale(shape[axis], attributes.reals("scales")[axis])));
    } else {
      const std::int64_t size = attributes.integers("sizes")[axis];
      if (size < 1 || size > (1 << 24)) return misused(fmt::format("a size of {}", size));
      const double scale = static_cast<double>(size) / static_cast<double>(shape[axis]);
      axes.push_back({shape[axis], size, scale, static_cast<double>(size)});
    }
  }
  return axes;
}

Result<void> read_region(std::vector<ResizedAxis>& axes, const Attributes& attributes) {
  const std::size_t rank = axes.size();
  if (!given(attributes, "roi") || attributes.reals("roi").size() != 2 * rank)
    return misused("tf_crop_and_resize needs a 'roi' of a start and an end for each axis");
  for (std::size_t axis = 0; axis < rank; ++axis) {
    axes[axis].start = attributes.reals("roi")[axis];
    axes[axis].end = attributes.reals("roi")[axis + rank];
  }
  return {};
}

// The standard's text and its reference implementation disagree on an axis resized to one element.
Result<void> require_agreed_position(const ResizedAxis& axis, const std::string& transformation,
                                     const std::string& mode) {
  const bool fractional = std::abs(axis.length - static_cast<double>(axis.output)) > 1e-5;
  const bool disputed = transformation == "pytorch_half_pixel"
                            ? fractional || (mode == "cubic" && axis.input > 1)
                            : transformation == "tf_crop_and_resize" && fractional;
  if (axis.output > 1 || !disputed) return {};
  return unsupported_attribute(fmt::format("{} of an axis of {} to a single element, mode {}",
                                           transformation, axis.input, mode));
}

Result<std::vector<ResizedAxis>> plan(const Shape& shape, const Attributes& attributes) {
  TRY_VOID(require_choice(attributes, "mode", {"nearest", "linear", "cubic"}));
  TRY_VOID(require_choice(attributes, "coordinate_transformation_mode",
                          {"half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric",
                           "tf_half_pixel_for_nn", "tf_crop_and_resize"}));
  TRY_VOID(require_choice(attributes, "nearest_mode",
                          {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}));
  const std::string& transformation = attributes.string("coordinate_transformation_mode");
  std::vector<ResizedAxis> axes = TRY(resized_axes(shape, attributes));
  if (transformation == "tf_crop_and_resize") TRY_VOID(read_region(axes, attributes));
  for (const ResizedAxis& axis : axes)
    TRY_VOID(require_agreed_position(axis, transformation, attributes.string("mode")));
  return axes;
}

// --- positions ----------------------------------------------------------------------------------

// Where output element `x` lies in the input, in the float type `type`.
Expr position_of(const ResizedAxis& axis, const std::string& transformation, const Expr& x,
                 DataType type) {
  const auto number = [type](double value) { return expr::constant(type, value); };
  const Expr index = expr::cast(type, x);
  const double last = static_cast<double>(axis.input - 1);
  if (transformation == "asymmetric") return index / number(axis.scale);
  if (transformation == "tf_half_pixel_for_nn") return (index + number(0.5)) / number(axis.scale);
  if (transformation == "align_corners")
    return axis.output == 1 ? number(0) : index * number(last) / number(axis.length - 1);
  if (transformation == "tf_crop_and_resize") {
    if (axis.output == 1) return number(0.5 * (axis.start + axis.end) * last);
    return number(axis.start * last) +
           index * number((axis.end - axis.start) * last) / number(axis.length - 1);
  }
  if (transformation == "pytorch_half_pixel" && axis.output == 1) return number(0);
  return (index + number(0.5)) / number(axis.scale) - number(0.5);
}

Expr floor(Expr value) { return expr::unary(expr::UnaryOperator::Floor, std::move(value)); }
Expr ceil(Expr value) { return expr::unary(expr::UnaryOperator::Ceil, std::move(value)); }

Expr nearest_index(const ResizedAxis& axis, const Expr& position, const std::string& mode) {
  const Expr half = expr::constant(position.type(), 0.5);
  const Expr rounded = mode == "floor"               ? floor(position)
                       : mode == "ceil"              ? ceil(position)
                       : mode == "round_prefer_ceil" ? floor(position + half)
                                                     : ceil(position - half);
  return clamp_index(expr::cast(DataType::Int64, rounded), axis.input);
}

// Longer axes are not looked at element by element.
constexpr std::int64_t longest_table = 1 << 16;

// `index` as floor((a * x + b) / c) with a / c the ratio of the extents, where that gives the same
// value for every x in [0, output). Makers fold constants, so the table is the expression itself at
// each x.
Expr in_integers(const ResizedAxis& axis, const std::function<Expr(const Expr&)>& index,
                 const Expr& x) {
  if (axis.output > longest_table) return index(x);
  // Positions are monotonic, so equal ends mean one index for all.
  if (const auto first = *expr::as_integer(index(0));
      first == *expr::as_integer(index(axis.output - 1)))
    return first;
  const std::int64_t common = std::gcd(axis.input, axis.output);
  for (const std::int64_t fineness : {1, 2}) {
    const std::int64_t a = fineness * axis.input / common, c = fineness * axis.output / common;
    std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                 most = std::numeric_limits<std::int64_t>::max();
    for (std::int64_t k = 0; k < axis.output; ++k) {
      const std::int64_t wanted = *expr::as_integer(index(k));
      least = std::max(least, c * wanted - a * k);
      most = std::min(most, c * wanted - a * k + c - 1);
    }
    if (least <= most) return expr::floor_div(x * a + std::clamp<std::int64_t>(0, least, most), c);
  }
  return index(x);
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
        transformation_(attributes.string("coordinate_transformation_mode")),
        type_(is_float(x.type) ? accumulator_type(x.type) : DataType::Float32) {}

  // The axes on which an output element is not simply the input element of that index.
  std::vector<std::size_t> moving() const {
    std::vector<std::size_t> result;
    for (std::size_t axis = 0; axis < axes_.size(); ++axis)
      if (!stays(axis)) result.push_back(axis);
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

  // Whether the position of an output element lies outside the input.
  Expr outside(const Indices& i) const {
    Expr result = expr::boolean(false);
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
      const Expr position = at(axis, i[axis]);
      result = result || position < expr::constant(type_, 0) ||
               position > expr::constant(type_, static_cast<double>(axes_[axis].input - 1));
    }
    return result;
  }

 private:
  Expr at(std::size_t axis, const Expr& x) const {
    return position_of(axes_[axis], transformation_, x, type_);
  }

  bool stays(std::size_t axis) const {
    if (axes_[axis].input != axes_[axis].output || axes_[axis].output > longest_table) return false;
    for (std::int64_t k = 0; k < axes_[axis].output; ++k)
      if (at(axis, k).as<expr::FloatConstant>()->value != static_cast<double>(k)) return false;
    return true;
  }

  Sample sample(std::size_t axis, const Expr& x) const {
    return attributes_.string("mode") == "linear" ? linear(axis, x) : cubic(axis, x);
  }

  Sample linear(std::size_t axis, const Expr& x) const {
    const double last = static_cast<double>(axes_[axis].input - 1);
    const auto inside = [&](const Expr& k) {
      return expr::max(expr::min(at(axis, k), expr::constant(type_, last)),
                       expr::constant(type_, 0));
    };
    const Expr left = in_integers(
        axes_[axis], [&](const Expr& k) { return expr::cast(DataType::Int64, inside(k)); }, x);
    const Expr ratio = inside(x) - expr::cast(type_, left);
    return {{left, expr::min(left + 1, axes_[axis].input - 1)},
            {expr::constant(type_, 1) - ratio, ratio}};
  }

  Sample cubic(std::size_t axis, const Expr& x) const {
    const Expr second = in_integers(
        axes_[axis], [&](const Expr& k) { return expr::cast(DataType::Int64, floor(at(axis, k))); },
        x);
    const auto weights =
        cubic_weights(at(axis, x) - expr::cast(type_, second), attributes_.real("cubic_coeff_a"));
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
  std::string transformation_;
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
  return context.builder.compute(
      context.name, te::extents(context.outputs[0].shape), [&](const Indices& i) {
        Indices source;
        for (std::size_t axis = 0; axis < axes.size(); ++axis) {
          const auto index = [&](const Expr& k) {
            const Expr position =
                position_of(axes[axis], context.attributes.string("coordinate_transformation_mode"),
                            k, DataType::Float32);
            return nearest_index(axes[axis], position, context.attributes.string("nearest_mode"));
          };
          source.push_back(in_integers(axes[axis], index, i[axis]));
        }
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
    if (crops)
      value = expr::select(
          interpolation.outside(i),
          expr::constant(value.type(), context.attributes.real("extrapolation_value")), value);
    return expr::cast(x.type, value);
  };
  const std::string& mode = context.attributes.string("mode");
  if (mode == "nearest") return Computed{resize_nearest(context, axes, finish)};
  std::vector<std::size_t> moving = interpolation.moving();
  te::Tensor current = x;
  // Four taps an axis: one axis after the other is far less work than all together.
  for (; mode == "cubic" && moving.size() > 1; moving.erase(moving.begin()))
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
  for (std::size_t k = 0; k < shape.size() && attributes.string("mode") == "nearest"; ++k) {
    const ResizedAxis axis = TRY(axis_by_scale(shape[k], attributes.reals("scales")[k]));
    for (std::int64_t x = 0; axis.scale < 1 && x < axis.output; ++x)
      if (const double position = static_cast<double>(x) / axis.scale;
          std::abs(position - std::round(position)) > 1e-4)
        return unsupported_attribute(
            fmt::format("nearest with a scale of {}, which falls between elements", axis.scale));
  }
  return attributes;
}

}  // namespace

std::vector<OpDef> resize() {
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
                      optional_attribute("roi", AttributeKind::Floats,
                                         "starts of all axes, then ends, as fractions"),
                      optional_attribute("scales", AttributeKind::Floats,
                                         "output over input extent, per axis"),
                      optional_attribute("sizes", AttributeKind::Ints,
                                         "output extents, instead of scales")},
       .infer = infer_resize,
       .compute = compute_resize,
       .onnx = {{.name = "Resize", .since = 11, .bound = {{1, "roi"}, {2, "scales"}, {3, "sizes"}}},
                {.name = "Resize",
                 .since = 10,
                 .until = 10,
                 .bound = {{1, "scales"}},
                 .adapt = from_upsample},
                {.name = "Upsample", .since = 9, .bound = {{1, "scales"}}, .adapt = from_upsample},
                {.name = "Upsample", .since = 7, .until = 8, .adapt = from_upsample}}},
  };
  for (OpDef& op : grid_sample_operators()) operators.push_back(std::move(op));
  return operators;
}

}  // namespace loopglass::ops
