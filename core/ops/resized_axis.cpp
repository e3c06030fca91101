// Positions are straight lines with rational coefficients: sizes are whole, scales and regions are
// what their float32 stands for. Only the extent that a scale leaves is computed in float32, as
// ONNX's shape inference does: exporters round 7/3 down and mean 7 of 3.
#include "core/ops/resized_axis.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

namespace loopglass::ops {

namespace {

constexpr std::int64_t largest_extent = 1 << 24;
// Longer axes are not looked at element by element.
constexpr std::int64_t longest_table = 1 << 16;

// Whether everything that is computed of the line, twice as fine, stays below 2^bits.
bool within(const ResizedAxis& axis, const SamplingLine& line, int bits) {
  const Wide limit = Wide{1} << (bits - 3);
  const Wide elements = std::max<std::int64_t>({axis.input, axis.output, 1});
  return magnitude(line.slope) < limit / elements && magnitude(line.offset) < limit &&
         line.divisor < limit / elements;
}

// --- a line as an index -------------------------------------------------------------------------

Expr at(const IndexForm& form, const Expr& x) {
  return expr::floor_div(x * form.slope + form.offset, form.divisor);
}

Expr bounded(Expr value, Wide first, Wide last, Wide most) {
  if (std::max(first, last) > most) value = expr::min(value, static_cast<std::int64_t>(most));
  return std::min(first, last) < 0 ? expr::max(value, 0) : value;
}

// floor of the line at x; of the elements there are, if it is to be inside.
Expr index_of(const ResizedAxis& axis, const SamplingLine& line, const Expr& x, bool inside) {
  if (axis.output == 0 || axis.input == 0) return 0;
  const auto bring_inside = [&](Wide index) {
    return static_cast<std::int64_t>(inside ? std::clamp<Wide>(index, 0, axis.input - 1) : index);
  };
  const Wide first = line.floor_at(0), last = line.floor_at(axis.output - 1);
  if (bring_inside(first) == bring_inside(last)) return bring_inside(first);
  std::optional<IndexForm> form;
  if (axis.output <= longest_table) {
    std::vector<std::int64_t> floors, moved;
    for (std::int64_t k = 0; k < axis.output; ++k) {
      floors.push_back(static_cast<std::int64_t>(line.floor_at(k)));
      moved.push_back(bring_inside(floors.back()));
    }
    if (const auto absorbed = simplest(line, moved)) return at(*absorbed, x);
    form = simplest(line, floors);
  }
  if (!form)
    form = IndexForm{static_cast<std::int64_t>(line.slope), static_cast<std::int64_t>(line.offset),
                     static_cast<std::int64_t>(line.divisor)};
  return inside ? bounded(at(*form, x), first, last, axis.input - 1) : at(*form, x);
}

// How far the line, perhaps brought inside, lies behind the element `index`.
Expr ratio_of(const ResizedAxis& axis, const Expr& x, const Expr& index, DataType type,
              bool inside) {
  const SamplingLine& line = axis.position;
  const Wide last = line.divisor * (axis.input - 1);
  const auto at = [&](std::int64_t k) { return line.slope * k + line.offset; };
  if (within(axis, line, 63)) {
    const auto divisor = static_cast<std::int64_t>(line.divisor);
    Expr position =
        x * static_cast<std::int64_t>(line.slope) + static_cast<std::int64_t>(line.offset);
    if (inside) position = bounded(position, at(0), at(axis.output - 1), last);
    return expr::cast(type, position - index * divisor) *
           expr::constant(type, 1 / static_cast<double>(divisor));
  }
  // A region or scale so fine that int64 does not hold its numerators.
  const auto number = [](double value) { return expr::floating(DataType::Float64, value); };
  const auto divisor = static_cast<double>(line.divisor);
  Expr position =
      expr::cast(DataType::Float64, x) * number(static_cast<double>(line.slope) / divisor) +
      number(static_cast<double>(line.offset) / divisor);
  if (inside)
    position =
        expr::max(expr::min(position, number(static_cast<double>(axis.input - 1))), number(0));
  return expr::cast(type, position - expr::cast(DataType::Float64, index));
}

// --- attributes ---------------------------------------------------------------------------------

bool given(const Attributes& attributes, const std::string& name) {
  const AttributeValue* value = attributes.find(name);
  if (value == nullptr) return false;
  return kind(*value) == AttributeKind::Ints ? !attributes.integers(name).empty()
                                             : !attributes.reals(name).empty();
}

// The axes that scales, sizes and regions speak of, in their order.
Result<std::vector<std::size_t>> named_axes(const Attributes& attributes, std::size_t rank) {
  std::vector<std::size_t> axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  if (!attributes.has("axes")) return axes;
  axes.clear();
  TRY_VOID(normalise_axes(attributes.integers("axes"), rank));
  for (const std::int64_t axis : attributes.integers("axes"))
    axes.push_back(static_cast<std::size_t>(TRY(normalise_axis(axis, rank))));
  return axes;
}

Result<void> scale_axis(ResizedAxis& axis, double given_scale) {
  const auto scale = static_cast<float>(given_scale);
  const float length = std::floor(static_cast<float>(axis.input) * scale);
  if (!(scale > 0) || !(length <= static_cast<float>(largest_extent)))
    return misused(fmt::format("a scale of {} for an extent of {}", given_scale, axis.input));
  axis.output = static_cast<std::int64_t>(length);
  axis.scale = Fraction::of(scale);
  return {};
}

// A scale for all these axes, so that none is larger or none smaller than asked for.
void keep_aspect_ratio(std::vector<ResizedAxis>& axes, const std::vector<std::size_t>& named,
                       bool not_larger) {
  Fraction scale = axes[named.front()].scale;
  for (const std::size_t axis : named)
    if (not_larger ? axes[axis].scale < scale : scale < axes[axis].scale) scale = axes[axis].scale;
  for (const std::size_t axis : named) {
    const Fraction length = scale * Fraction(axes[axis].input);
    axes[axis].scale = scale;
    axes[axis].output = static_cast<std::int64_t>((length + Fraction(1, 2)).floor());
  }
}

Result<void> size_axes(std::vector<ResizedAxis>& axes, const std::vector<std::size_t>& named,
                       const Attributes& attributes) {
  const Integers& sizes = attributes.integers("sizes");
  const std::string& policy = attributes.string("keep_aspect_ratio_policy");
  for (std::size_t k = 0; k < named.size(); ++k) {
    ResizedAxis& axis = axes[named[k]];
    if (sizes[k] < 0 || sizes[k] > largest_extent)
      return misused(fmt::format("a size of {}", sizes[k]));
    if (axis.input == 0 && policy != "stretch")
      return misused("nothing has no aspect ratio to keep");
    axis.output = sizes[k];
    if (axis.input > 0) axis.scale = Fraction(sizes[k], axis.input);
  }
  if (policy != "stretch" && !named.empty()) keep_aspect_ratio(axes, named, policy == "not_larger");
  return {};
}

// --- positions ----------------------------------------------------------------------------------

struct Region {
  Fraction start = 0, end = 1;
};

struct Line {
  Fraction slope, offset;
};

// As the standard words it, with the fractional length that its reference implementation means
// where two elements or more are left of it; one element's position is a rule of its own.
Line line_of(const ResizedAxis& axis, const std::string& transformation, const Region& region) {
  const Fraction half(1, 2), one = 1, last = axis.input - 1, &scale = axis.scale,
                             length = scale * Fraction(axis.input);
  if (axis.output == 1) {
    if (transformation == "align_corners" || transformation == "pytorch_half_pixel") return {0, 0};
    if (transformation == "tf_crop_and_resize")
      return {0, half * (region.start + region.end) * last};
  }
  if (transformation == "asymmetric") return {one / scale, 0};
  if (transformation == "tf_half_pixel_for_nn") return {one / scale, half / scale};
  if (transformation == "align_corners") return {last / (length - one), 0};
  if (transformation == "tf_crop_and_resize")
    return {(region.end - region.start) * last / (length - one), region.start * last};
  const Fraction half_pixel = half / scale - half;
  if (transformation == "half_pixel_symmetric")
    return {one / scale,
            half_pixel + half * (Fraction(axis.input) - Fraction(axis.output) / scale)};
  return {one / scale, half_pixel};
}

// Both coefficients over one denominator.
std::optional<SamplingLine> common(const Line& line) {
  const Fraction &slope = line.slope, &offset = line.offset;
  if (!slope.is_exact() || !offset.is_exact()) return std::nullopt;
  const Wide shared = greatest_common_divisor(slope.denominator(), offset.denominator()),
             more = offset.denominator() / shared;
  SamplingLine over_one;
  if (__builtin_mul_overflow(slope.denominator(), more, &over_one.divisor) ||
      __builtin_mul_overflow(slope.numerator(), more, &over_one.slope) ||
      __builtin_mul_overflow(offset.numerator(), slope.denominator() / shared, &over_one.offset))
    return std::nullopt;
  return over_one;
}

bool is_far(Wide position) { return magnitude(position) > (Wide{1} << 40); }

Result<void> place(ResizedAxis& axis, const std::string& transformation, const Region& region) {
  if (axis.output == 0) return {};
  if (axis.input == 0 || axis.output > largest_extent)
    return misused(fmt::format("an extent of {} cannot be resized to {}", axis.input, axis.output));
  Line line = line_of(axis, transformation, region);
  if (axis.output == 1) line.slope = 0;  // its only index is 0
  const auto position = common(line);
  if (!position || !within(axis, *position, axis.output <= longest_table ? 126 : 62) ||
      is_far(position->floor_at(0)) || is_far(position->floor_at(axis.output - 1)))
    return unsupported_attribute(
        fmt::format("on an axis of {} resized to {}, positions too fine or too far out for 64 bits",
                    axis.input, axis.output));
  axis.position = *position;
  return {};
}

// By axis, for the rule that has regions.
Result<std::vector<Region>> regions(const Attributes& attributes,
                                    const std::vector<std::size_t>& named, std::size_t rank) {
  std::vector<Region> all(rank);
  if (attributes.string("coordinate_transformation_mode") != "tf_crop_and_resize") return all;
  if (!given(attributes, "roi") || attributes.reals("roi").size() != 2 * named.size())
    return misused("tf_crop_and_resize needs a 'roi' of a start and an end for each axis");
  const auto& ends = attributes.reals("roi");
  for (std::size_t k = 0; k < named.size(); ++k)
    all[named[k]] = {Fraction::of(static_cast<float>(ends[k])),
                     Fraction::of(static_cast<float>(ends[k + named.size()]))};
  return all;
}

// Half-open: the output's indices whose positions lie inside the input.
std::pair<std::int64_t, std::int64_t> inside_range(const ResizedAxis& axis) {
  const SamplingLine& line = axis.position;
  const Wide slope = line.slope, last = line.divisor * (axis.input - 1);
  Wide begin = 0, end = axis.output;
  if (slope == 0) {
    if (line.offset < 0 || line.offset > last) end = 0;
  } else {
    // From here on both ends are positions of a rising line.
    const Wide rise = magnitude(slope), low = slope > 0 ? line.offset : last - line.offset,
               high = last - low;
    begin = -floor_divide(low, rise);
    end = floor_divide(high, rise) + 1;
  }
  const auto limited = [&](Wide x) {
    return static_cast<std::int64_t>(std::clamp<Wide>(x, 0, axis.output));
  };
  return {limited(begin), limited(end)};
}

}  // namespace

bool ResizedAxis::stays() const {
  return input == output && position.offset == 0 &&
         (position.slope == position.divisor || output <= 1);
}

Expr ResizedAxis::outside(const Expr& x) const {
  const auto [begin, end] = inside_range(*this);
  Expr result = expr::boolean(begin >= end && output > 0);
  if (begin >= end) return result;
  if (begin > 0) result = result || x < begin;
  if (end < output) result = result || x >= end;
  return result;
}

Expr ResizedAxis::nearest(const Expr& x, const std::string& nearest_mode) const {
  SamplingLine line = position;
  // ceil(a / b) = floor((a + b - 1) / b) of whole numbers, and half up is the floor half further.
  if (nearest_mode == "ceil") line.offset += line.divisor - 1;
  if (nearest_mode == "round_prefer_ceil" || nearest_mode == "round_prefer_floor")
    line = {2 * line.slope, 2 * line.offset + line.divisor, 2 * line.divisor};
  if (nearest_mode == "round_prefer_floor") line.offset -= 1;
  return index_of(*this, line, x, true);
}

Expr ResizedAxis::before(const Expr& x) const { return index_of(*this, position, x, false); }
Expr ResizedAxis::before_inside(const Expr& x) const { return index_of(*this, position, x, true); }

Expr ResizedAxis::ratio(const Expr& x, const Expr& index, DataType type) const {
  return ratio_of(*this, x, index, type, false);
}
Expr ResizedAxis::ratio_inside(const Expr& x, const Expr& index, DataType type) const {
  return ratio_of(*this, x, index, type, true);
}

Result<std::vector<ResizedAxis>> resized_axes(const Shape& shape, const Attributes& attributes) {
  const bool by_scale = given(attributes, "scales");
  if (by_scale == given(attributes, "sizes"))
    return misused("one of 'scales' and 'sizes' decides the output's shape");
  const auto named = TRY(named_axes(attributes, shape.size()));
  const std::size_t entries =
      by_scale ? attributes.reals("scales").size() : attributes.integers("sizes").size();
  if (entries != named.size())
    return misused(fmt::format("{} scales or sizes for {} axes", entries, named.size()));
  std::vector<ResizedAxis> axes;
  for (const std::int64_t extent : shape) {
    if (extent > largest_extent)
      return misused(fmt::format("an extent of {} cannot be resized", extent));
    axes.push_back({extent, extent, {}, 1});
  }
  for (std::size_t k = 0; by_scale && k < named.size(); ++k)
    TRY_VOID(scale_axis(axes[named[k]], attributes.reals("scales")[k]));
  if (!by_scale) TRY_VOID(size_axes(axes, named, attributes));
  const auto all = TRY(regions(attributes, named, shape.size()));
  const std::string& transformation = attributes.string("coordinate_transformation_mode");
  for (const std::size_t axis : named) TRY_VOID(place(axes[axis], transformation, all[axis]));
  return axes;
}

}  // namespace loopglass::ops
