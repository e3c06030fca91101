// The two ends of a convolution by Winograd's minimal filtering. Each is two stages, down the
// columns and along the rows of a tile; a row of a matrix is one of a few sums, chosen by an index,
// so that coefficients of zero and one cost nothing once loops over a tile are unrolled.
#include "core/ops/winograd.h"

#include "core/ops/families.h"
#include "core/ops/layout_forms.h"
#include "core/ops/window.h"
#include "core/support/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace loopglass::ops {

namespace winograd {

namespace {

// clang-format off
constexpr double data_2[]{1,  0, -1,  0,
                          0,  1,  1,  0,
                          0, -1,  1,  0,
                          0,  1,  0, -1};
constexpr double weights_2[]{1.0,  0.0, 0.0,
                             0.5,  0.5, 0.5,
                             0.5, -0.5, 0.5,
                             0.0,  0.0, 1.0};
constexpr double result_2[]{1, 1,  1,  0,
                            0, 1, -1, -1};

constexpr double data_4[]{4,  0, -5,  0, 1, 0,
                          0, -4, -4,  1, 1, 0,
                          0,  4, -4, -1, 1, 0,
                          0, -2, -1,  2, 1, 0,
                          0,  2, -1, -2, 1, 0,
                          0,  4,  0, -5, 0, 1};
constexpr double weights_4[]{1.0 / 4,   0.0,       0.0,
                             -1.0 / 6,  -1.0 / 6,  -1.0 / 6,
                             -1.0 / 6,  1.0 / 6,   -1.0 / 6,
                             1.0 / 24,  1.0 / 12,  1.0 / 6,
                             1.0 / 24,  -1.0 / 12, 1.0 / 6,
                             0.0,       0.0,       1.0};
constexpr double result_4[]{1, 1,  1, 1,  1, 0,
                            0, 1, -1, 2, -2, 0,
                            0, 1,  1, 4,  4, 0,
                            0, 1, -1, 8, -8, 1};
// clang-format on

bool is_tile(std::int64_t tile) { return std::ranges::find(tiles, tile) != tiles.end(); }

}  // namespace

Transform transform(std::int64_t tile) {
  CHECK(is_tile(tile), fmt::format("no tiles of {}", tile));
  const std::int64_t window = tile + kernel - 1;
  if (tile == 2) return {tile, {data_2, window}, {weights_2, kernel}, {result_2, window}};
  return {tile, {data_4, window}, {weights_4, kernel}, {result_4, window}};
}

Tensor transformed_weights(const Tensor& weights, std::int64_t tile) {
  const Transform by = transform(tile);
  const std::int64_t window = by.window(), filters = weights.shape()[0],
                     channels = weights.shape()[1];
  Tensor result({DataType::Float32, {window, window, 1, 1, channels, filters}});
  const auto from = weights.as<float>();
  const auto to = result.as<float>();
  for (std::int64_t k = 0; k < filters; ++k)
    for (std::int64_t c = 0; c < channels; ++c)
      for (std::int64_t a = 0; a < window; ++a)
        for (std::int64_t b = 0; b < window; ++b) {
          double sum = 0;
          for (std::int64_t i = 0; i < kernel; ++i)
            for (std::int64_t j = 0; j < kernel; ++j)
              sum += by.weights(a, i) * by.weights(b, j) *
                     from[static_cast<std::size_t>(((k * channels + c) * kernel + i) * kernel + j)];
          to[static_cast<std::size_t>(((a * window + b) * channels + c) * filters + k)] =
              static_cast<float>(sum);
        }
  return result;
}

}  // namespace winograd

namespace {

using winograd::Matrix;

constexpr const char *input_name = "WinogradInput", *output_name = "WinogradOutput";

// Row `row` of the matrix times a column of elements.
Expr product(const Matrix& matrix, const Expr& row,
             const std::function<Expr(std::int64_t)>& element) {
  const auto sum = [&](std::int64_t r) {
    Expr result;
    for (std::int64_t c = 0; c < matrix.columns(); ++c) {
      const double factor = matrix(r, c);
      if (factor == 0) continue;
      const Expr value = element(c);
      const auto times = [&](double by) {
        return by == 1 ? value : value * constant_like(value, by);
      };
      if (!result.defined()) result = times(factor);
      else result = factor > 0 ? result + times(factor) : result - times(-factor);
    }
    return result;
  };
  Expr chosen = sum(matrix.rows() - 1);
  for (std::int64_t r = matrix.rows() - 2; r >= 0; --r)
    chosen = expr::select(expr::equal(row, r), sum(r), chosen);
  return chosen;
}

Result<winograd::Transform> transform_of(const Attributes& attributes) {
  const std::int64_t tile = attributes.integer("tile");
  if (std::ranges::find(winograd::tiles, tile) == winograd::tiles.end())
    return unsupported_attribute(fmt::format("tiles of {}; there are 2 and 4", tile));
  return winograd::transform(tile);
}

// Of tiles that are read, as windows that slide by a tile; the last may reach beyond the pads.
struct InputTiles {
  winograd::Transform by;
  Window window;
};

Result<InputTiles> input_tiles(const Attributes& attributes, const Shape& x) {
  InputTiles result{TRY(transform_of(attributes)), {}};
  const auto pads = TRY(per_axis(attributes, "pads", 4, 0, 0));
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const std::int64_t extent = x[2 + axis],
                       results = extent + pads[axis] + pads[axis + 2] - winograd::kernel + 1;
    if (extent < 1 || extent > (1 << 24) || pads[axis] > (1 << 24) || pads[axis + 2] > (1 << 24) ||
        results < 1)
      return misused(fmt::format("a kernel of {} on an extent of {}", winograd::kernel, extent));
    result.window.push_back({.input = extent,
                             .kernel = result.by.window(),
                             .stride = result.by.tile,
                             .pad_begin = pads[axis],
                             .output = (results + result.by.tile - 1) / result.by.tile});
  }
  return result;
}

Result<Types> infer_input(const InferContext& context) {
  TRY_VOID(require_type(context, 0, float32_or_float64));
  TRY_VOID(require_rank(context, 0, 4));
  const TensorType& x = context.input(0);
  const InputTiles tiles = TRY(input_tiles(context.attributes, x.shape));
  const std::int64_t window = tiles.by.window();
  return Types{
      {x.type,
       {window, window, x.shape[0], tiles.window[0].output, tiles.window[1].output, x.shape[1]}}};
}

Result<Computed> compute_input(ComputeContext& context) {
  const te::Tensor& x = context.input(0);
  const InputTiles tiles = TRY(input_tiles(context.attributes, shape_of(x)));
  const Shape& shape = context.outputs[0].shape;
  const te::Tensor padded =
      pad_for(context.builder, x, tiles.window, context.name + "_pad", expr::constant(x.type, 0));
  // Down the columns: row of the tile, image, tile, column of the image, channel.
  const te::Tensor columns = context.builder.compute(
      context.name + "_columns",
      te::extents({shape[0], shape[2], shape[3], tiles.window[1].extent(), shape[5]}),
      [&](const Indices& i) {
        return product(tiles.by.data, i[0], [&](std::int64_t row) {
          return padded({i[1], i[4], i[2] * tiles.by.tile + row, i[3]});
        });
      });
  return Computed{context.builder.compute(context.name, te::extents(shape), [&](const Indices& i) {
    return product(tiles.by.data, i[1], [&](std::int64_t column) {
      return columns({i[0], i[2], i[3], i[4] * tiles.by.tile + column, i[5]});
    });
  })};
}

Result<Types> infer_output(const InferContext& context) {
  TRY_VOID(require_type(context, 0, float32_or_float64));
  TRY_VOID(require_rank(context, 0, 6));
  const winograd::Transform by = TRY(transform_of(context.attributes));
  const Shape& m = context.input(0).shape;
  const Integers& size = context.attributes.integers("size");
  TRY_VOID(require_same_types(context));
  if (m[0] != by.window() || m[1] != by.window())
    return misused(fmt::format("{} is no product of tiles of {}", to_string(m), by.tile));
  if (size.size() != 2) return misused("'size' is height and width");
  for (std::size_t axis = 0; axis < 2; ++axis)
    if (size[axis] < 1 || (size[axis] - 1) / by.tile + 1 != m[3 + axis])
      return misused(fmt::format("{} results of {} tiles of {}", size[axis], m[3 + axis], by.tile));
  if (context.has(1) && context.input(1).shape != Shape{m[5]})
    return misused(fmt::format("bias {} for {} filters", to_string(context.input(1)), m[5]));
  return Types{{context.input(0).type, {m[2], m[5], size[0], size[1]}}};
}

Result<Computed> compute_output(ComputeContext& context) {
  const te::Tensor& m = context.input(0);
  const winograd::Transform by = TRY(transform_of(context.attributes));
  const Shape in = shape_of(m), &out = context.outputs[0].shape;
  // Down the columns: row of the image, image, tile across, column of the window, filter.
  const te::Tensor columns = context.builder.compute(
      context.name + "_columns", te::extents({out[2], in[2], in[4], in[1], in[5]}),
      [&](const Indices& i) {
        return product(by.result, expr::floor_mod(i[0], by.tile), [&](std::int64_t row) {
          return m({row, i[3], i[1], expr::floor_div(i[0], by.tile), i[2], i[4]});
        });
      });
  return Computed{context.builder.compute(context.name, te::extents(out), [&](const Indices& i) {
    const Expr sum = product(by.result, expr::floor_mod(i[3], by.tile), [&](std::int64_t column) {
      return columns({i[2], i[0], expr::floor_div(i[3], by.tile), column, i[1]});
    });
    return context.has(1) ? sum + context.input(1)({i[1]}) : sum;
  })};
}

// The operator, or its form for an image in another layout than NCHW.
Operation on_image(const char* name, Attributes attributes, const Layout& image,
                   const char* layout) {
  Operation operation = operation_named(name, std::move(attributes));
  if (image.is_plain()) return operation;
  operation.attributes.set(layout, image.text());
  return {layout_form_of(*operation.op), std::move(operation.attributes)};
}

AttributeSpec tile_attribute() {
  return required_attribute("tile", AttributeKind::Int,
                            "results along each axis of a tile: 2 or 4");
}

}  // namespace

Operation winograd_input(std::int64_t tile, const std::vector<std::int64_t>& pads,
                         const Layout& image) {
  return on_image(input_name, {{"tile", tile}, {"pads", pads}}, image, "image_layout");
}

Operation winograd_output(std::int64_t tile, std::int64_t height, std::int64_t width,
                          const Layout& image) {
  return on_image(output_name, {{"tile", tile}, {"size", Integers{height, width}}}, image,
                  "result_layout");
}

std::vector<OpDef> winograd_operators() {
  return {
      {.name = input_name,
       .family = Family::Convolution,
       .doc = "Transforms overlapping tiles of an image for a 3 x 3 convolution by Winograd's "
              "minimal filtering.",
       .inputs = {{"X", Arity::Required, "N x C x height x width"}},
       .outputs = {{"V", Arity::Required,
                    "window x window x N x tiles down x tiles across x C; a window is a tile and "
                    "two more"}},
       .attributes = {tile_attribute(),
                      optional_attribute("pads", AttributeKind::Ints,
                                         "zeros at top, left, bottom and right; 0 by default")},
       .infer = infer_input,
       .compute = compute_input,
       .onnx = {},
       // Nothing is fused before it: what it reads it reads more than twice.
       .relay_kind = PatternKind::OutElementwiseFusable},
      {.name = output_name,
       .family = Family::Convolution,
       .doc = "Transforms products of transformed tiles and filters back into an image.",
       .inputs = {{"M", Arity::Required,
                   "window x window x N x tiles down x tiles across x filters"},
                  {"B", Arity::Optional, "one bias a filter"}},
       .outputs = {{"Y", Arity::Required, "N x filters x height x width"}},
       .attributes = {tile_attribute(),
                      required_attribute("size", AttributeKind::Ints, "height and width of Y")},
       .infer = infer_output,
       .compute = compute_output,
       .onnx = {},
       .relay_kind = PatternKind::OutElementwiseFusable},
  };
}

}  // namespace loopglass::ops
