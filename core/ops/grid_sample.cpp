// GridSample: reads an image at positions that are data themselves.
#include "core/ops/image_axes.h"
#include "core/ops/resampling.h"

#include <fmt/format.h>

#include <algorithm>

namespace loopglass::ops {

namespace {

constexpr std::size_t most_spatial = 3;

Result<Types> infer_grid_sample(const InferContext& context) {
  TRY_VOID(require_type(context, 0, float_types));
  TRY_VOID(require_type(context, 1, float_types));
  TRY_VOID(require_choice(context.attributes, "mode", {"linear", "nearest", "cubic"}));
  TRY_VOID(require_choice(context.attributes, "padding_mode", {"zeros", "border", "reflection"}));
  const Shape &x = context.input(0).shape, &grid = context.input(1).shape;
  if (x.size() > first_spatial + most_spatial)
    return unsupported_attribute(
        fmt::format("images of {} spatial axes", x.size() - first_spatial));
  const bool fits = x.size() > first_spatial && grid.size() == x.size() && grid[0] == x[0] &&
                    grid.back() + first_spatial == x.size() &&
                    std::all_of(x.begin() + first_spatial, x.end(), [](auto e) { return e > 0; });
  if (!fits)
    return misused(fmt::format("a grid of {} for images of {}", to_string(grid), to_string(x)));
  Shape output{x[0], x[1]};
  output.insert(output.end(), grid.begin() + 1, grid.end() - 1);
  return Types{{context.input(0).type, output}};
}

// One axis of the images, with the positions on it in the float type `type`.
class Axis {
 public:
  Axis(std::int64_t extent, const Attributes& attributes, DataType type)
      : extent_(extent),
        corners_(attributes.integer("align_corners") != 0),
        padding_(attributes.string("padding_mode")),
        type_(type) {}

  // -1 and 1 are the centres of the outermost elements, or their outer edges.
  Expr position(const Expr& normalised) const {
    const Expr shifted = normalised + number(1);
    const double extent = static_cast<double>(extent_);
    return corners_ ? shifted * number((extent - 1) / 2)
                    : (shifted * number(extent) - number(1)) / number(2);
  }

  // Moves a position into the image, unless what is outside is zero anyway.
  Expr padded(Expr position) const {
    if (padding_ == "zeros") return position;
    if (padding_ == "reflection") position = reflected(position);
    return expr::max(expr::min(position, number(static_cast<double>(extent_ - 1))), number(0));
  }

  Expr inside(const Expr& index) const { return index >= 0 && index < extent_; }
  Expr clamped(const Expr& index) const { return clamp_index(index, extent_); }
  Expr number(double value) const { return expr::constant(type_, value); }

 private:
  // Back and forth between the outermost centres or edges.
  Expr reflected(const Expr& position) const {
    const double low = corners_ ? 0 : -0.5,
                 span = static_cast<double>(extent_ - (corners_ ? 1 : 0));
    if (span == 0) return number(0);
    const Expr distance = absolute(position - number(low));
    const Expr flips = floor(distance / number(span)), extra = distance - flips * number(span);
    const Expr even = expr::equal(flips - number(2) * floor(flips / number(2)), number(0));
    return expr::select(even, extra + number(low), number(span) - extra + number(low));
  }

  std::int64_t extent_;
  bool corners_;
  std::string padding_;
  DataType type_;
};

struct Images {
  const te::Tensor& x;
  std::vector<Axis> axes;
  bool zeros;

  // The element at integral positions, of which any may lie outside.
  Expr at(const Indices& i, const Indices& position) const {
    Indices element{i[0], i[1]};
    Expr inside = expr::boolean(true);
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      element.push_back(axes[axis].clamped(position[axis]));
      inside = inside && axes[axis].inside(position[axis]);
    }
    const Expr value = widened(x(std::move(element)));
    return zeros ? expr::select(inside, value, expr::constant(value.type(), 0)) : value;
  }
};

// What is sampled along one axis: elements, and how much each weighs.
struct Taps {
  Indices elements, weights;
};

Taps linear(const Axis& axis, const Expr& position) {
  const Expr before = floor(position), ratio = position - before, element = to_index(before);
  return {{element, element + 1}, {axis.number(1) - ratio, ratio}};
}

// Each of the four neighbours is padded on its own.
Taps cubic(const Axis& axis, const Expr& position) {
  const Expr before = floor(position);
  Taps taps;
  for (const Expr& weight : cubic_weights(position - before, -0.75)) {
    const auto offset = static_cast<double>(taps.weights.size()) - 1;
    taps.elements.push_back(to_index(axis.padded(before + axis.number(offset))));
    taps.weights.push_back(weight);
  }
  return taps;
}

// The sum over all combinations of the axes' taps.
Expr blended(const Images& images, const Indices& i, const std::vector<Taps>& taps) {
  Expr sum;
  const std::function<void(Indices, Expr)> add = [&](Indices position, Expr weight) {
    if (position.size() == taps.size()) {
      const Expr term = images.at(i, position) * weight;
      sum = sum.defined() ? sum + term : term;
      return;
    }
    const Taps& next = taps[position.size()];
    for (std::size_t tap = 0; tap < next.elements.size(); ++tap)
      add(inserted(position, position.size(), next.elements[tap]),
          weight.defined() ? weight * next.weights[tap] : next.weights[tap]);
  };
  add({}, {});
  return sum;
}

Expr nearest(const Images& images, const Indices& i, const Indices& position) {
  Indices rounded;
  for (const Expr& along : position)
    rounded.push_back(to_index(expr::unary(expr::UnaryOperator::RoundEven, along)));
  return images.at(i, rounded);
}

Expr sampled(const Images& images, const Indices& i, const Indices& position,
             const std::string& mode) {
  if (mode == "nearest") return nearest(images, i, position);
  std::vector<Taps> taps;
  for (std::size_t axis = 0; axis < position.size(); ++axis)
    taps.push_back(mode == "cubic" ? cubic(images.axes[axis], position[axis])
                                   : linear(images.axes[axis], position[axis]));
  return blended(images, i, taps);
}

Result<Computed> compute_grid_sample(ComputeContext& context) {
  const te::Tensor &x = context.input(0), &grid = context.input(1);
  const DataType type = accumulator_type(x.type);
  const Shape shape = shape_of(x);
  const std::string& mode = context.attributes.string("mode");
  Images images{x, {}, context.attributes.string("padding_mode") == "zeros"};
  for (std::size_t axis = first_spatial; axis < shape.size(); ++axis)
    images.axes.emplace_back(shape[axis], context.attributes, type);
  const std::size_t count = images.axes.size();
  // The positions of all channels are the same: a stage of their own. The last axis comes first.
  const te::Tensor positions =
      context.builder.compute(context.name + "_positions", grid.shape, [&](const Indices& i) {
        const auto on = [&](const Axis& axis) {
          const Expr position = axis.position(expr::cast(type, grid(i)));
          return mode == "cubic" ? position : axis.padded(position);
        };
        Expr position = on(images.axes.front());
        for (std::size_t axis = 1; axis < count; ++axis)
          position =
              expr::select(expr::equal(i.back(), static_cast<std::int64_t>(count - 1 - axis)),
                           on(images.axes[axis]), position);
        return position;
      });
  return Computed{context.builder.compute(
      context.name, te::extents(context.outputs[0].shape), [&](const Indices& i) {
        Indices point{i[0]}, position;
        point.insert(point.end(), i.begin() + first_spatial, i.end());
        for (std::size_t axis = 0; axis < count; ++axis)
          position.push_back(positions(
              inserted(point, point.size(), static_cast<std::int64_t>(count - 1 - axis))));
        return expr::cast(x.type, sampled(images, i, position, mode));
      })};
}

// Before operator set 20 images had two axes, which the names of the modes told.
Result<Attributes> from_two_axes(Attributes attributes, const InferContext& context) {
  if (context.input(0).shape.size() != first_spatial + 2)
    return misused("ONNX knows images of other than two axes from operator set 20 on");
  const std::string mode = attributes.has("mode") ? attributes.string("mode") : "bilinear";
  if (mode == "linear" || mode == "cubic")
    return misused(fmt::format("mode is '{}', which operator set 20 brought", mode));
  attributes.set("mode", mode == "bilinear" ? "linear" : mode == "bicubic" ? "cubic" : mode);
  return attributes;
}

Attributes to_two_axes(Attributes attributes) {
  if (const std::string mode = attributes.string("mode"); mode != "nearest")
    attributes.set("mode", "bi" + mode);
  return attributes;
}

}  // namespace

std::vector<OpDef> grid_sample_operators() {
  return {{.name = "GridSample",
           .family = Family::Resize,
           .doc = "Samples images at the positions of a grid, by which they are warped.",
           .inputs = {{"X", Arity::Required, "N x C x spatial"},
                      {"grid", Arity::Required,
                       "N x spatial' x axes: positions from -1 to 1, of the last axis first"}},
           .outputs = {{"Y", Arity::Required, "N x C x spatial'"}},
           .attributes = {attribute("align_corners", std::int64_t{0},
                                    "1: -1 and 1 are centres of elements, not edges"),
                          attribute("mode", "linear", "linear, nearest or cubic"),
                          attribute("padding_mode", "zeros",
                                    "what is outside: zeros, border or reflection")},
           .infer = infer_grid_sample,
           .compute = compute_grid_sample,
           .onnx = {{.name = "GridSample", .since = 20},
                    {.name = "GridSample",
                     .since = 16,
                     .until = 19,
                     .adapt = from_two_axes,
                     .restore = to_two_axes}}}};
}

}  // namespace loopglass::ops
