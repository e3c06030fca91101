// Pooling over regions of interest, which are data: RoiAlign and MaxRoiPool.
#include "core/ops/pooling.h"
#include "core/ops/precision.h"

#include <fmt/format.h>

namespace loopglass::ops {

namespace {

Expr ceil(Expr value) { return expr::unary(expr::UnaryOperator::Ceil, std::move(value)); }

Result<void> check_images(const InferContext& context, std::int64_t region_entries) {
  TRY_VOID(require_type(context, 0, float_types));
  TRY_VOID(require_rank(context, 0, 4));
  TRY_VOID(require_rank(context, 1, 2));
  const TensorType &x = context.input(0), &regions = context.input(1);
  if (regions.type != x.type || regions.shape[1] != region_entries || element_count(x.shape) == 0)
    return misused(fmt::format("regions {} of images {}", to_string(regions), to_string(x)));
  return {};
}

Result<void> check_pooled(std::int64_t height, std::int64_t width) {
  if (height >= 1 && width >= 1 && height <= 4096 && width <= 4096) return {};
  return misused(fmt::format("regions cannot be pooled to {}x{}", height, width));
}

// --- RoiAlign -----------------------------------------------------------------------------------

Result<Types> infer_roi_align(const InferContext& context) {
  TRY_VOID(check_images(context, 4));
  const Attributes& attributes = context.attributes;
  const TensorType &x = context.input(0), &regions = context.input(1), &images = context.input(2);
  if (images != TensorType{DataType::Int64, {regions.shape[0]}})
    return misused(
        fmt::format("image numbers {} for regions {}", to_string(images), to_string(regions)));
  TRY_VOID(require_choice(attributes, "coordinate_transformation_mode",
                          {"half_pixel", "output_half_pixel"}));
  if (attributes.string("mode") != "avg")
    return unsupported_attribute(
        fmt::format("mode '{}'; only 'avg' is supported", attributes.string("mode")));
  if (const auto ratio = attributes.integer("sampling_ratio"); ratio < 1 || ratio > 1024)
    return unsupported_attribute(
        fmt::format("sampling_ratio {}: the number of samples would depend on data", ratio));
  const std::int64_t height = attributes.integer("output_height"),
                     width = attributes.integer("output_width");
  TRY_VOID(check_pooled(height, width));
  return Types{{x.type, {regions.shape[0], x.shape[1], height, width}}};
}

// The two neighbours of a position along an axis, and what the second weighs.
struct Neighbours {
  Expr low, high, ratio, outside;
};

Neighbours neighbours(const Expr& position, std::int64_t extent) {
  const double last = static_cast<double>(extent - 1);
  const Expr held =
      expr::max(expr::min(position, constant_like(position, last)), constant_like(position, 0));
  const Expr low = clamp_index(to_index(held), extent);
  return {low, expr::min(low + 1, extent - 1), held - expr::cast(position.type(), low),
          position < constant_like(position, -1) ||
              position > constant_like(position, static_cast<double>(extent))};
}

// Sample `s` of bin `bin`, along the axis whose region goes from entry `begin` to entry `begin`
// + 2.
Expr sample_position(const ComputeContext& context, const Expr& region, std::int64_t begin,
                     const Expr& bin, const Expr& s, std::int64_t bins) {
  const Attributes& attributes = context.attributes;
  const te::Tensor& regions = context.input(1);
  const bool centred = attributes.string("coordinate_transformation_mode") == "half_pixel";
  const auto edge = [&](std::int64_t entry) {
    const Expr at = widened(regions({region, entry}));
    const Expr scaled = at * constant_like(at, attributes.real("spatial_scale"));
    return centred ? scaled - constant_like(at, 0.5) : scaled;
  };
  const Expr start = edge(begin);
  Expr size = edge(begin + 2) - start;
  if (!centred) size = expr::max(size, constant_like(size, 1));
  const Expr bin_size = size / constant_like(size, static_cast<double>(bins));
  const Expr step = (expr::cast(size.type(), s) + constant_like(size, 0.5)) /
                    constant_like(size, static_cast<double>(attributes.integer("sampling_ratio")));
  return start + (expr::cast(size.type(), bin) + step) * bin_size;
}

Result<Computed> compute_roi_align(ComputeContext& context) {
  const te::Tensor &x = context.input(0), &images = context.input(2);
  const Shape shape = shape_of(x), &output = context.outputs[0].shape;
  const std::int64_t samples = context.attributes.integer("sampling_ratio");
  const te::Tensor sum = context.builder.reduce(
      context.name + "_sum", te::extents(output), te::extents({samples, samples}), te::Reducer::Sum,
      [&](const Indices& i, const Indices& r) {
        const Neighbours row =
            neighbours(sample_position(context, i[0], 1, i[2], r[0], output[2]), shape[2]);
        const Neighbours column =
            neighbours(sample_position(context, i[0], 0, i[3], r[1], output[3]), shape[3]);
        const auto element = [&](const Expr& at_row, const Expr& at_column) {
          return widened(x({clamp_index(images({i[0]}), shape[0]), i[1], at_row, at_column}));
        };
        const auto blend = [](const Expr& a, const Expr& b, const Expr& ratio) {
          return a * (constant_like(ratio, 1) - ratio) + b * ratio;
        };
        const Expr value = blend(
            blend(element(row.low, column.low), element(row.low, column.high), column.ratio),
            blend(element(row.high, column.low), element(row.high, column.high), column.ratio),
            row.ratio);
        return expr::select(row.outside || column.outside, constant_like(value, 0), value);
      });
  return Computed{map(context.builder, context.name, sum, [&](Expr value) {
    return expr::cast(x.type, value / constant_like(value, static_cast<double>(samples * samples)));
  })};
}

// Before opset 16 positions were not moved by half a pixel.
Result<Attributes> without_half_pixel(Attributes attributes, const InferContext&) {
  attributes.set("coordinate_transformation_mode", std::string("output_half_pixel"));
  return attributes;
}

// --- MaxRoiPool ---------------------------------------------------------------------------------

Result<Types> infer_max_roi_pool(const InferContext& context) {
  TRY_VOID(check_images(context, 5));
  const Integers& pooled = context.attributes.integers("pooled_shape");
  if (pooled.size() != 2) return misused("pooled_shape is not a height and a width");
  TRY_VOID(check_pooled(pooled[0], pooled[1]));
  const Shape& x = context.input(0).shape;
  return Types{{context.input(0).type, {context.input(1).shape[0], x[1], pooled[0], pooled[1]}}};
}

// Half away from zero.
Expr rounded(const Expr& value) {
  const Expr half = constant_like(value, 0.5);
  return expr::select(value < constant_like(value, 0), ceil(value - half), floor(value + half));
}

// Whether element `at` of an axis lies in bin `bin` of the region from entry `begin` to entry
// `begin` + 2, both included.
Expr in_bin(const ComputeContext& context, const Expr& region, std::int64_t begin, const Expr& bin,
            const Expr& at, std::int64_t bins) {
  const auto edge = [&](std::int64_t entry) {
    const Expr value = widened(context.input(1)({region, entry}));
    return rounded(value * constant_like(value, context.attributes.real("spatial_scale")));
  };
  const Expr start = edge(begin),
             size = expr::max(edge(begin + 2) - start + constant_like(start, 1),
                              constant_like(start, 1));
  const Expr bin_size = size / constant_like(size, static_cast<double>(bins)),
             number_of_bin = expr::cast(size.type(), bin);
  const Expr position = expr::cast(size.type(), at) - start;
  return position >= floor(number_of_bin * bin_size) &&
         position < ceil((number_of_bin + constant_like(size, 1)) * bin_size);
}

Result<Computed> compute_max_roi_pool(ComputeContext& context) {
  const te::Tensor &x = context.input(0), &regions = context.input(1);
  const Shape shape = shape_of(x), &output = context.outputs[0].shape;
  const te::Tensor greatest = context.builder.reduce(
      context.name + "_max", te::extents(output), {x.shape[2], x.shape[3]}, te::Reducer::Max,
      [&](const Indices& i, const Indices& r) {
        const Expr inside = in_bin(context, i[0], 2, i[2], r[0], output[2]) &&
                            in_bin(context, i[0], 1, i[3], r[1], output[3]);
        return expr::select(
            inside, x({clamp_index(to_index(regions({i[0], 0})), shape[0]), i[1], r[0], r[1]}),
            expr::lowest(x.type));
      });
  // A bin outside the image has no elements; it is 0.
  return Computed{map(context.builder, context.name, greatest, [&](const Expr& value) {
    return expr::select(expr::equal(value, expr::lowest(x.type)), constant_like(value, 0), value);
  })};
}

}  // namespace

std::vector<OpDef> region_pooling() {
  return {
      {.name = "RoiAlign",
       .family = Family::Pooling,
       .doc = "Averages bilinear samples in each bin of each region of interest.",
       .inputs = {{"X", Arity::Required, "N x C x H x W"},
                  {"rois", Arity::Required, "regions x 4: x1, y1, x2, y2"},
                  {"batch_indices", Arity::Required, "the image of each region"}},
       .outputs = {{"Y", Arity::Required, "regions x C x bins"}},
       .attributes = {attribute("coordinate_transformation_mode", "half_pixel",
                                "half_pixel or output_half_pixel"),
                      attribute("mode", "avg", "avg; max is not supported"),
                      attribute("output_height", std::int64_t{1}, "bins down"),
                      attribute("output_width", std::int64_t{1}, "bins across"),
                      attribute("sampling_ratio", std::int64_t{0},
                                "samples of a bin, along each axis"),
                      attribute("spatial_scale", 1.0, "from region coordinates to elements")},
       .infer = infer_roi_align,
       .compute = compute_roi_align,
       .onnx = {{.name = "RoiAlign", .since = 16},
                {.name = "RoiAlign", .since = 10, .until = 15, .adapt = without_half_pixel}}},
      {.name = "MaxRoiPool",
       .family = Family::Pooling,
       .doc = "The greatest element in each bin of each region of interest.",
       .inputs = {{"X", Arity::Required, "N x C x H x W"},
                  {"rois", Arity::Required, "regions x 5: image, x1, y1, x2, y2"}},
       .outputs = {{"Y", Arity::Required, "regions x C x bins"}},
       .attributes = {required_attribute("pooled_shape", AttributeKind::Ints,
                                         "bins down and across"),
                      attribute("spatial_scale", 1.0, "from region coordinates to elements")},
       .infer = infer_max_roi_pool,
       .compute = compute_max_roi_pool,
       .onnx = {{.name = "MaxRoiPool"}}},
  };
}

}  // namespace loopglass::ops
