// GridSample: reads an image at positions that are data themselves.
#include "core/ops/resampling.h"

#include <fmt/format.h>

namespace loopglass::ops {

namespace {

Result<Types> infer_grid_sample(const InferContext& context) {
  TRY_VOID(require_type(context, 0, float_types));
  TRY_VOID(require_type(context, 1, float_types));
  TRY_VOID(require_choice(context.attributes, "mode", {"bilinear", "nearest", "bicubic"}));
  TRY_VOID(require_choice(context.attributes, "padding_mode", {"zeros", "border", "reflection"}));
  TRY_VOID(require_rank(context, 0, 4));
  TRY_VOID(require_rank(context, 1, 4));
  const Shape &x = context.input(0).shape, &grid = context.input(1).shape;
  if (grid[0] != x[0] || grid[3] != 2 || x[2] < 1 || x[3] < 1)
    return misused(fmt::format("a grid of {} for images of {}", to_string(grid), to_string(x)));
  return Types{{context.input(0).type, {x[0], x[1], grid[1], grid[2]}}};
}

Expr floor(Expr value) { return expr::unary(expr::UnaryOperator::Floor, std::move(value)); }
Expr to_index(Expr value) { return expr::cast(DataType::Int64, std::move(value)); }

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
    const Expr distance = expr::unary(expr::UnaryOperator::Abs, position - number(low));
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
  Axis rows, columns;
  bool zeros;

  // The element at integral positions, of which any may lie outside.
  Expr at(const Indices& i, const Expr& row, const Expr& column) const {
    const Expr value = widened(x({i[0], i[1], rows.clamped(row), columns.clamped(column)}));
    return zeros ? expr::select(rows.inside(row) && columns.inside(column), value,
                                expr::constant(value.type(), 0))
                 : value;
  }
};

Expr bilinear(const Images& images, const Indices& i, const Expr& y, const Expr& x) {
  const Expr top = floor(y), left = floor(x), down = y - top, right = x - left;
  const Expr one = images.rows.number(1), row = to_index(top), column = to_index(left);
  return images.at(i, row, column) * ((one - down) * (one - right)) +
         images.at(i, row, column + 1) * ((one - down) * right) +
         images.at(i, row + 1, column) * (down * (one - right)) +
         images.at(i, row + 1, column + 1) * (down * right);
}

// Each of the sixteen neighbours is padded on its own.
Expr bicubic(const Images& images, const Indices& i, const Expr& y, const Expr& x) {
  constexpr double slope = -0.75;
  const Expr top = floor(y), left = floor(x);
  const auto by_row = cubic_weights(y - top, slope), by_column = cubic_weights(x - left, slope);
  Expr sum = images.rows.number(0);
  for (int row = 0; row < 4; ++row)
    for (int column = 0; column < 4; ++column) {
      const Expr at_row = to_index(images.rows.padded(top + images.rows.number(row - 1)));
      const Expr at_column =
          to_index(images.columns.padded(left + images.columns.number(column - 1)));
      const Expr weight =
          by_row[static_cast<std::size_t>(row)] * by_column[static_cast<std::size_t>(column)];
      sum = sum + images.at(i, at_row, at_column) * weight;
    }
  return sum;
}

Result<Computed> compute_grid_sample(ComputeContext& context) {
  const te::Tensor &x = context.input(0), &grid = context.input(1);
  const DataType type = accumulator_type(x.type);
  const Shape shape = shape_of(x);
  const Images images{x, Axis(shape[2], context.attributes, type),
                      Axis(shape[3], context.attributes, type),
                      context.attributes.string("padding_mode") == "zeros"};
  const std::string& mode = context.attributes.string("mode");
  // The positions of all channels are the same: a stage of their own.
  const te::Tensor positions =
      context.builder.compute(context.name + "_positions", grid.shape, [&](const Indices& i) {
        const auto on = [&](const Axis& axis) {
          const Expr position = axis.position(expr::cast(type, grid(i)));
          return mode == "bicubic" ? position : axis.padded(position);
        };
        return expr::select(expr::equal(i[3], 0), on(images.columns), on(images.rows));
      });
  return Computed{context.builder.compute(
      context.name, te::extents(context.outputs[0].shape), [&](const Indices& i) {
        const Expr column = positions({i[0], i[2], i[3], 0}),
                   row = positions({i[0], i[2], i[3], 1});
        const auto nearest = [](const Expr& position) {
          return to_index(expr::unary(expr::UnaryOperator::RoundEven, position));
        };
        const Expr value = mode == "nearest"    ? images.at(i, nearest(row), nearest(column))
                           : mode == "bilinear" ? bilinear(images, i, row, column)
                                                : bicubic(images, i, row, column);
        return expr::cast(x.type, value);
      })};
}

}  // namespace

std::vector<OpDef> grid_sample_operators() {
  return {{.name = "GridSample",
           .family = Family::Resize,
           .doc = "Samples images at the positions of a grid, by which they are warped.",
           .inputs = {{"X", Arity::Required, "N x C x H x W"},
                      {"grid", Arity::Required, "N x H' x W' x 2: x and y, from -1 to 1"}},
           .outputs = {{"Y", Arity::Required, "N x C x H' x W'"}},
           .attributes = {attribute("align_corners", std::int64_t{0},
                                    "1: -1 and 1 are centres of elements, not edges"),
                          attribute("mode", "bilinear", "bilinear, nearest or bicubic"),
                          attribute("padding_mode", "zeros",
                                    "what is outside: zeros, border or reflection")},
           .infer = infer_grid_sample,
           .compute = compute_grid_sample,
           .onnx = {{.name = "GridSample", .since = 16, .until = 19}}}};
}

}  // namespace loopglass::ops
