// Concat, Pad and Tile: what is put together out of pieces of one tensor, nested, or not needed.
#include "core/tensor/rearrange.h"
#include "passes/graph/rules/families.h"
#include "passes/graph/rules/movement.h"

#include <algorithm>

namespace loopglass::passes::rules {

namespace {

using graph::Node;
using graph::ValueId;
using ops::Stride;
using Replacement = std::optional<ValueId>;

// --- Concat --------------------------------------------------------------------------------------

std::size_t axis_of(const Site& site, const Node& node) {
  return ops::axis_of(node.attributes, site.type(node.outputs[0]).shape.size());
}

// The only part itself.
ValueId concatenated(Site& site, std::vector<ValueId> parts, std::size_t axis) {
  if (parts.size() == 1) return parts.front();
  return site.make("Concat", std::move(parts), {{"axis", static_cast<std::int64_t>(axis)}});
}

Replacement concat_of_concat(Site& site) {
  const std::size_t axis = axis_of(site, site.node());
  std::vector<ValueId> parts;
  for (const ValueId part : site.node().inputs) {
    const Node* inner = site.producer(part, "Concat");
    if (inner != nullptr && axis_of(site, *inner) == axis)
      parts.insert(parts.end(), inner->inputs.begin(), inner->inputs.end());
    else parts.push_back(part);
  }
  if (parts == site.node().inputs) return {};
  return concatenated(site, std::move(parts), axis);
}

Replacement concat_without_empty_parts(Site& site) {
  const std::size_t axis = axis_of(site, site.node());
  std::vector<ValueId> parts;
  for (const ValueId part : site.node().inputs)
    if (site.type(part).shape[axis] != 0) parts.push_back(part);
  if (parts.empty()) parts.push_back(site.input(0));
  if (parts.size() == site.node().inputs.size()) return {};
  return concatenated(site, std::move(parts), axis);
}

// Whether a part is there once, and nowhere else.
bool needed_once(const Site& site, ValueId part) {
  return site.only_user(part) && std::ranges::count(site.node().inputs, part) == 1;
}

// One stride over what two take one after the other.
std::optional<Stride> joined(const Stride& first, const Stride& second) {
  if (first.count == 0 || second.count == 0) return {};
  const std::int64_t step = first.count > 1    ? first.step
                            : second.count > 1 ? second.step
                                               : second.start - first.start;
  if (step == 0 || (second.count > 1 && second.step != step) ||
      second.start != first.start + step * first.count)
    return {};
  return Stride{first.start, step, first.count + second.count};
}

std::optional<Slicing> joined(const Slicing& first, const Slicing& second, std::size_t axis) {
  const auto along = joined(first[axis], second[axis]);
  if (!along) return {};
  Slicing both = first;
  both[axis] = second[axis];
  if (both != second) return {};  // they differ along another axis, too
  both[axis] = *along;
  return both;
}

// The concatenation with the first two neighbours for which `join` knows one part that stands for
// both; neither may be needed elsewhere, where it would be there twice.
using Join = std::function<Replacement(ValueId first, ValueId second)>;
Replacement with_joined_neighbours(Site& site, const Join& join) {
  std::vector<ValueId> parts = site.node().inputs;
  for (std::size_t k = 0; k + 1 < parts.size(); ++k) {
    if (!needed_once(site, parts[k]) || !needed_once(site, parts[k + 1])) continue;
    const auto both = join(parts[k], parts[k + 1]);
    if (!both) continue;
    parts[k] = *both;
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(k) + 1);
    return concatenated(site, std::move(parts), axis_of(site, site.node()));
  }
  return {};
}

Replacement concat_of_adjacent_slices(Site& site) {
  const std::size_t axis = axis_of(site, site.node());
  return with_joined_neighbours(site, [&](ValueId a, ValueId b) -> Replacement {
    const Node *first = site.producer(a, "Slice"), *second = site.producer(b, "Slice");
    if (first == nullptr || second == nullptr || first->inputs[0] != second->inputs[0]) return {};
    const auto both = joined(slicing_of(site, *first), slicing_of(site, *second), axis);
    if (!both) return {};
    return sliced(site, first->inputs[0], *both);
  });
}

Replacement adjacent_constants_in_concat(Site& site) {
  const std::size_t axis = axis_of(site, site.node());
  return with_joined_neighbours(site, [&](ValueId a, ValueId b) -> Replacement {
    const Tensor* const both[] = {site.constant(a), site.constant(b)};
    if (both[0] == nullptr || both[1] == nullptr) return {};
    return site.make_constant(loopglass::concatenated(both, axis));
  });
}

Replacement concat_of_split(Site& site) {
  const std::size_t axis = axis_of(site, site.node());
  std::vector<ValueId> parts = site.node().inputs;
  for (auto part = parts.begin(); part != parts.end(); ++part) {
    const Node* split = site.producer(*part, "Split");
    if (split == nullptr || axis_of(site, *split) != axis) continue;
    const auto count = static_cast<std::ptrdiff_t>(split->outputs.size());
    if (parts.end() - part < count ||
        !std::equal(split->outputs.begin(), split->outputs.end(), part))
      continue;
    *part = split->inputs[0];
    parts.erase(part + 1, part + count);
    return concatenated(site, std::move(parts), axis);
  }
  return {};
}

Replacement transposes_below_concat(Site& site) {
  std::optional<Integers> permutation;
  std::vector<ValueId> parts;
  for (const ValueId part : site.node().inputs) {
    const Node* transpose = site.producer(part, "Transpose");
    if (transpose == nullptr || !site.only_user(part)) return {};
    const Integers own = permutation_of(site, *transpose);
    if (permutation && *permutation != own) return {};
    permutation = own;
    parts.push_back(transpose->inputs[0]);
  }
  const auto axis = static_cast<std::size_t>((*permutation)[axis_of(site, site.node())]);
  return transposed(site, concatenated(site, std::move(parts), axis), *permutation);
}

// --- Pad -----------------------------------------------------------------------------------------

std::vector<ops::Margin> margins_of(const Site& site, const Node& pad) {
  return ops::margins_of(pad.attributes, site.type(pad.inputs[0]).shape.size()).value();
}

// A constant pad that takes nothing away.
bool only_adds_a_constant(const Site& site, const Node& pad) {
  return pad.attributes.string("mode") == "constant" &&
         std::ranges::all_of(margins_of(site, pad), [](const ops::Margin& margin) {
           return margin.begin >= 0 && margin.end >= 0;
         });
}

Replacement pad_of_pad(Site& site) {
  const Node* inner = site.producer(site.input(0), "Pad");
  const Node& outer = site.node();
  if (inner == nullptr || !only_adds_a_constant(site, *inner) ||
      !only_adds_a_constant(site, outer) ||
      inner->attributes.real("value") != outer.attributes.real("value"))
    return {};
  const auto first = margins_of(site, *inner), second = margins_of(site, outer);
  Integers pads(2 * first.size());
  for (std::size_t d = 0; d < first.size(); ++d) {
    pads[d] = first[d].begin + second[d].begin;
    pads[d + first.size()] = first[d].end + second[d].end;
  }
  return site.make("Pad", {inner->inputs[0]},
                   {{"pads", pads}, {"value", outer.attributes.real("value")}});
}

Replacement crop_to_slice(Site& site) {
  Slicing slicing;
  const Shape& result = site.result_type().shape;
  const auto margins = margins_of(site, site.node());
  for (std::size_t d = 0; d < margins.size(); ++d) {
    if (margins[d].begin > 0 || margins[d].end > 0) return {};
    slicing.push_back({-margins[d].begin, 1, result[d]});
  }
  return sliced(site, site.input(0), normalised(std::move(slicing)));
}

// --- Tile ----------------------------------------------------------------------------------------

Replacement tile_of_tile(Site& site) {
  const Node* inner = site.producer(site.input(0), "Tile");
  if (inner == nullptr) return {};
  Integers repeats = site.node().attributes.integers("repeats");
  const Integers& first = inner->attributes.integers("repeats");
  for (std::size_t d = 0; d < repeats.size(); ++d)
    if (__builtin_mul_overflow(repeats[d], first[d], &repeats[d])) return {};
  return site.make("Tile", {inner->inputs[0]}, {{"repeats", repeats}});
}

Replacement tile_to_expand(Site& site) {
  const Integers& repeats = site.node().attributes.integers("repeats");
  const Shape& from = site.type(site.input(0)).shape;
  for (std::size_t d = 0; d < from.size(); ++d)
    if (repeats[d] == 0 || (repeats[d] != 1 && from[d] != 1)) return {};
  return expanded(site, site.input(0), site.result_type().shape);
}

}  // namespace

RuleTable concatenation_rules() {
  // clang-format off: a table, two lines a rule
  return {
      {"concat-of-concat",
       "concat(concat(x, y), z)",
       "concat(x, y, z)",
       "along the same axis",
       RuleClass::Exact,
       {"Concat"},
       concat_of_concat},
      {"concat-without-empty-parts",
       "concat(x, nothing)",
       "x",
       "",
       RuleClass::Exact,
       {"Concat"},
       concat_without_empty_parts},
      {"concat-of-adjacent-slices",
       "concat(x[a:b], x[b:c])",
       "x[a:c]",
       "where the slices differ along that axis alone and nothing else needs them",
       RuleClass::Exact,
       {"Concat"},
       concat_of_adjacent_slices},
      {"concat-of-split",
       "concat(all parts of split(x))",
       "x",
       "in their order, along the same axis",
       RuleClass::Exact,
       {"Concat"},
       concat_of_split},
      {"adjacent-constants-in-concat",
       "concat(x, c, d)",
       "concat(x, concat(c, d))",
       "the constants are joined now; nothing else needs them",
       RuleClass::Exact,
       {"Concat"},
       adjacent_constants_in_concat},
      {"transposes-below-concat",
       "concat(transpose(x, p), transpose(y, p))",
       "transpose(concat(x, y), p)",
       "one transpose for all; nothing else needs them",
       RuleClass::Exact,
       {"Concat"},
       transposes_below_concat},
      {"pad-of-pad",
       "pad(pad(x, a), b)",
       "pad(x, a + b)",
       "where both put the same constant around and take nothing away",
       RuleClass::Exact,
       {"Pad"},
       pad_of_pad},
      {"crop-to-slice",
       "pad(x, -a)",
       "x[a:-a]",
       "where nothing is added",
       RuleClass::Exact,
       {"Pad"},
       crop_to_slice},
      {"tile-of-tile",
       "tile(tile(x, m), n)",
       "tile(x, m * n)",
       "",
       RuleClass::Exact,
       {"Tile"},
       tile_of_tile},
      {"tile-to-expand",
       "tile(x, n)",
       "expand(x)",
       "where only axes of extent 1 are repeated: users may broadcast instead",
       RuleClass::Exact,
       {"Tile"},
       tile_to_expand},
  };
  // clang-format on
}

}  // namespace loopglass::passes::rules
