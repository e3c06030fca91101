// Pad: elements around a tensor, in all its modes.
#include "core/ops/padding.h"

#include "core/ops/families.h"
#include "core/support/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace loopglass::ops {

namespace {

// Where along a dimension of `extent` the element comes from that lies at `position` relative to
// the input's first one.
Expr mirrored(Expr position, std::int64_t extent, const Margin& margin) {
  if (extent == 1) return 0;
  if (margin.begin >= extent || margin.end >= extent) {
    // Reflected more than once.
    position = expr::floor_mod(position, 2 * (extent - 1));
    return expr::min(position, 2 * (extent - 1) - position);
  }
  if (margin.begin > 0) position = absolute(position);
  return margin.end > 0 ? expr::min(position, 2 * (extent - 1) - position) : position;
}

// How many elements negative pads take away in front, and how many they leave.
std::int64_t taken_before(const Margin& margin) { return std::max<std::int64_t>(-margin.begin, 0); }
std::int64_t left_of(std::int64_t extent, const Margin& margin) {
  return extent - taken_before(margin) - std::max<std::int64_t>(-margin.end, 0);
}

Expr pad_source(const std::string& mode, Expr position, std::int64_t extent, const Margin& margin) {
  if (mode == "reflect") return mirrored(std::move(position), extent, margin);
  if (mode == "wrap") {
    // What is left is repeated.
    const std::int64_t first = taken_before(margin);
    return expr::floor_mod(std::move(position) - first, left_of(extent, margin)) + first;
  }
  return clamp_index(std::move(position), extent);
}

// Along a last axis of more elements what is reflected once is told apart element by element, so
// that the vectors between the margins are loaded as they lie.
constexpr std::int64_t most_beside_margins = 256;

bool tells_margins_apart(const std::string& mode, std::int64_t extent, const Margin& margin) {
  return mode == "reflect" && extent > most_beside_margins && margin.begin < extent &&
         margin.end < extent && (margin.begin > 0 || margin.end > 0);
}

Expr reflected_element(const te::Tensor& x, const Indices& at, std::int64_t extent,
                       const Margin& margin) {
  const std::size_t last = at.size() - 1;
  const Expr& place = at[last];
  Expr element = x(at);
  if (margin.end > 0)
    element =
        expr::select(place < extent, element, x(replaced(at, last, 2 * (extent - 1) - place)));
  return margin.begin > 0 ? expr::select(place >= 0, element, x(replaced(at, last, -place)))
                          : element;
}

OpDef pad() {
  return {
      .name = "Pad",
      .family = Family::Movement,
      .doc = "Puts elements around the input, or with negative pads takes some away.",
      .inputs = {{"data"}},
      .outputs = {{"output"}},
      .attributes = {required_attribute("pads", AttributeKind::Ints,
                                        "before each axis, then after each axis"),
                     attribute("mode", "constant",
                               "constant, reflect (without the edge), edge or wrap"),
                     attribute("value", 0.0, "the constant"),
                     optional_attribute("axes", AttributeKind::Ints, "all when left out")},
      .infer = [](const InferContext& c) -> Result<Types> {
        TRY_VOID(require_choice(c.attributes, "mode", {"constant", "reflect", "edge", "wrap"}));
        TensorType type = c.input(0);
        const auto margins = TRY(margins_of(c.attributes, type.shape.size()));
        for (std::size_t d = 0; d < margins.size(); ++d) {
          const std::int64_t from = type.shape[d];
          type.shape[d] = from + margins[d].begin + margins[d].end;
          if (type.shape[d] < 0)
            return misused(
                fmt::format("the pads of axis {} take away more than its {} elements", d, from));
          if (left_of(from, margins[d]) <= 0 && type.shape[d] > 0 &&
              c.attributes.string("mode") != "constant")
            return misused(fmt::format("axis {} has no element to pad with", d));
        }
        return Types{type};
      },
      .compute = [](ComputeContext& c) -> Result<Computed> {
        const Shape from = shape_of(c.input(0));
        const auto margins = TRY(margins_of(c.attributes, from.size()));
        const std::string& mode = c.attributes.string("mode");
        return Computed{c.builder.compute(c.name, te::extents(c.outputs[0].shape), [&](Indices i) {
          std::vector<Expr> inside;
          const bool is_apart =
              !i.empty() && tells_margins_apart(mode, from.back(), margins.back());
          for (std::size_t d = 0; d < i.size(); ++d) {
            const auto& [begin, end] = margins[d];
            i[d] = i[d] - begin;
            if ((begin <= 0 && end <= 0) || (is_apart && d + 1 == i.size())) continue;
            if (mode != "constant") i[d] = pad_source(mode, i[d], from[d], margins[d]);
            else if (begin > 0) inside.push_back(i[d] >= 0);
            if (mode == "constant" && end > 0) inside.push_back(i[d] < from[d]);
          }
          const Expr element = is_apart
                                   ? reflected_element(c.input(0), i, from.back(), margins.back())
                                   : c.input(0)(i);
          if (inside.empty()) return element;
          return expr::select(all_hold(inside), element,
                              expr::constant(element.type(), c.attributes.real("value")));
        })};
      },
      .onnx = {{"Pad", 2, 10},
               {.name = "Pad", .since = 11, .bound = {{1, "pads"}, {2, "value"}, {3, "axes"}}}},
      .relay_kind = PatternKind::Injective,
  };
}

}  // namespace

Result<std::vector<Margin>> margins_of(const Attributes& attributes, std::size_t rank) {
  const Integers& pads = attributes.integers("pads");
  Integers axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  if (attributes.has("axes")) axes = attributes.integers("axes");
  if (pads.size() != 2 * axes.size())
    return misused(fmt::format("{} pads for {} axes", pads.size(), axes.size()));
  TRY(normalise_axes(axes, rank));  // none twice
  std::vector<Margin> margins(rank);
  constexpr std::int64_t widest = std::int64_t{1} << 48;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const Margin margin{pads[k], pads[k + axes.size()]};
    for (const std::int64_t width : {margin.begin, margin.end})
      if (width < -widest || width > widest)
        return misused(fmt::format("a pad of {} elements", width));
    margins[static_cast<std::size_t>(TRY(normalise_axis(axes[k], rank)))] = margin;
  }
  return margins;
}

std::optional<Padding> padding_of(const OpDef& op, const Attributes& attributes, std::size_t rank) {
  if (op.name != "Pad") return std::nullopt;
  auto margins = margins_of(attributes, rank);
  CHECK(margins.has_value());
  Padding padding{*std::move(margins), attributes.string("mode"), {}};
  if (padding.mode == "constant") padding.value = attributes.real("value");
  return padding;
}

std::vector<OpDef> padding() { return {pad()}; }

}  // namespace loopglass::ops
