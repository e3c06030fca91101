// Slices merge and rise towards the inputs, so that what lies below them works on less; other
// operators that pick elements at even distances become slices.
#include "passes/graph/rules/families.h"
#include "passes/graph/rules/movement.h"

#include <algorithm>

namespace loopglass::passes::rules {

namespace {

using graph::Node;
using graph::ValueId;
using ops::Stride;
using Replacement = std::optional<ValueId>;

Replacement explicit_slice(Site& site) {
  const Slicing slicing = slicing_of(site, site.node());
  const Shape& from = site.type(site.input(0)).shape;
  if (takes_everything(slicing, from) || site.node().attributes == slice_attributes(slicing, from))
    return {};
  return sliced(site, site.input(0), slicing);
}

Replacement slice_of_slice(Site& site) {
  const Node* inner = site.producer(site.input(0), "Slice");
  if (inner == nullptr) return {};
  Slicing slicing = slicing_of(site, site.node());
  const Slicing first = slicing_of(site, *inner);
  for (std::size_t d = 0; d < slicing.size(); ++d)
    slicing[d] = {first[d].start + first[d].step * slicing[d].start,
                  first[d].step * slicing[d].step, slicing[d].count};
  return sliced(site, inner->inputs[0], normalised(std::move(slicing)));
}

// The least and the greatest position taken along an axis of which something is taken.
std::pair<std::int64_t, std::int64_t> range_of(const Stride& stride) {
  const std::int64_t last = stride.start + stride.step * (stride.count - 1);
  return std::minmax(stride.start, last);
}

Replacement slice_of_concat(Site& site) {
  const Node* concat = site.producer(site.input(0), "Concat");
  Slicing slicing = slicing_of(site, site.node());
  if (concat == nullptr || takes_nothing(slicing)) return {};
  const std::size_t axis = ops::axis_of(concat->attributes, slicing.size());
  const auto [least, greatest] = range_of(slicing[axis]);
  std::int64_t begin = 0;
  for (const ValueId part : concat->inputs) {
    const std::int64_t end = begin + site.type(part).shape[axis];
    if (least >= begin && greatest < end) {
      slicing[axis].start -= begin;
      return sliced(site, part, slicing);
    }
    begin = end;
  }
  return {};
}

Replacement slice_of_pad(Site& site) {
  const Node* pad = site.producer(site.input(0), "Pad");
  Slicing slicing = slicing_of(site, site.node());
  if (pad == nullptr || takes_nothing(slicing)) return {};
  const Shape& from = site.type(pad->inputs[0]).shape;
  const auto margins = ops::margins_of(pad->attributes, from.size()).value();
  for (std::size_t d = 0; d < from.size(); ++d) {
    slicing[d].start -= margins[d].begin;
    const auto [least, greatest] = range_of(slicing[d]);
    if (least < 0 || greatest >= from[d]) return {};
  }
  return sliced(site, pad->inputs[0], slicing);
}

// Whether the slice makes less of what only it needs: then what makes that may as well make less.
bool cuts_what_only_it_needs(const Site& site) {
  return site.only_user(site.input(0)) &&
         elements(site, site.input(0)) > element_count(site.result_type().shape);
}

Replacement slice_of_transpose(Site& site) {
  const Node* transpose = site.producer(site.input(0), "Transpose");
  if (transpose == nullptr || !cuts_what_only_it_needs(site)) return {};
  const Integers permutation = permutation_of(site, *transpose);
  const Slicing slicing = slicing_of(site, site.node());
  Slicing before(slicing.size());
  for (std::size_t d = 0; d < slicing.size(); ++d)
    before[static_cast<std::size_t>(permutation[d])] = slicing[d];
  return transposed(site, sliced(site, transpose->inputs[0], before), permutation);
}

// What a slicing of a broadcast result comes to for an operand: its axes are the last ones, and of
// one that broadcasts, the only element is needed. Nothing where the operand does not broadcast so.
std::optional<Slicing> slicing_of_operand(const Slicing& slicing, const Shape& operand,
                                          const Shape& result) {
  if (operand.size() > result.size()) return {};
  const std::size_t leading = result.size() - operand.size();
  Slicing own;
  for (std::size_t d = 0; d < operand.size(); ++d) {
    if (operand[d] != result[d + leading] && operand[d] != 1) return {};
    own.push_back(operand[d] == result[d + leading] ? slicing[d + leading] : Stride{0, 1, 1});
  }
  return own;
}

Replacement slice_of_expand(Site& site) {
  const Node* expand = site.producer(site.input(0), "Expand");
  const Slicing slicing = slicing_of(site, site.node());
  if (expand == nullptr || takes_nothing(slicing) || !cuts_what_only_it_needs(site)) return {};
  const ValueId narrow = expand->inputs[0];
  const auto own =
      slicing_of_operand(slicing, site.type(narrow).shape, site.type(site.input(0)).shape);
  if (!own) return {};
  return expanded(site, sliced(site, narrow, *own), site.result_type().shape);
}

Replacement slice_above_pointwise(Site& site, Company company) {
  const ValueId whole = site.input(0);
  const Node* found = site.producer(whole);
  const Slicing slicing = slicing_of(site, site.node());
  if (found == nullptr || !is_pointwise(*found) || takes_nothing(slicing) || !site.only_user(whole))
    return {};
  const Node node = *found;
  std::vector<std::pair<std::size_t, Slicing>> cut;
  std::int64_t copied = 0;
  for (std::size_t k = 0; k < node.inputs.size(); ++k) {
    if (!node.inputs[k] || elements(site, node.inputs[k]) == 1) continue;
    const Shape& operand = site.type(node.inputs[k]).shape;
    const auto own = slicing_of_operand(slicing, operand, site.type(whole).shape);
    if (!own) return {};
    if (takes_everything(*own, operand)) continue;
    copied += element_count(sliced_shape(*own));
    cut.emplace_back(k, *own);
  }
  const bool alone = company == Company::Alone;
  if (cut.empty() || alone != (cut.size() == 1) || copied >= elements(site, whole)) return {};
  std::vector<ValueId> inputs = node.inputs;
  for (const auto& [k, own] : cut) inputs[k] = sliced(site, inputs[k], own);
  return site.make(node.op->name, std::move(inputs), node.attributes);
}

// Rows are cut from A, columns from B, and batches from both.
Replacement slice_above_product(Site& site) {
  const ValueId whole = site.input(0);
  const Node* product = site.producer(whole, "MatMul");
  const Slicing slicing = slicing_of(site, site.node());
  if (product == nullptr || takes_nothing(slicing) || !cuts_what_only_it_needs(site)) return {};
  const ValueId a = product->inputs[0], b = product->inputs[1];
  const Shape from_a = site.type(a).shape, from_b = site.type(b).shape,
              &result = site.type(whole).shape;
  if (from_a.size() < 2 || from_b.size() < 2) return {};
  const std::int64_t inner = from_a.back();
  // As if each operand had the result's axes, but for the one that is summed over.
  const auto own = [&](Shape shape, std::size_t summed) {
    const std::size_t axis = shape.size() - summed;
    shape[axis] = 1;
    auto cut = slicing_of_operand(slicing, shape, result);
    (*cut)[axis] = {0, 1, inner};
    return *cut;
  };
  const Slicing cut_a = own(from_a, 1), cut_b = own(from_b, 2);
  std::int64_t copied = 0;
  if (!takes_everything(cut_a, from_a)) copied += element_count(sliced_shape(cut_a));
  if (!takes_everything(cut_b, from_b)) copied += element_count(sliced_shape(cut_b));
  if (copied >= (element_count(result) - element_count(site.result_type().shape)) * inner)
    return {};
  return site.make("MatMul", {sliced(site, a, cut_a), sliced(site, b, cut_b)});
}

// --- other operators that slice ------------------------------------------------------------------

// The elements at these positions along one axis, if they lie evenly.
Replacement sliced_along(Site& site, ValueId value, std::size_t axis, const Integers& positions) {
  const Shape& from = site.type(value).shape;
  const auto stride = evenly_spaced(positions);
  if (!stride) return {};
  Slicing slicing;
  for (const std::int64_t extent : from) slicing.push_back({0, 1, extent});
  slicing[axis] = *stride;
  return sliced(site, value, slicing);
}

Replacement gather_to_slice(Site& site) {
  const Tensor* indices = site.constant(site.input(1));
  if (indices == nullptr) return {};
  const Shape& from = site.type(site.input(0)).shape;
  const std::size_t axis = ops::axis_of(site.node().attributes, from.size());
  const std::int64_t extent = from[axis];
  Integers positions = indices->to_integers();
  for (std::int64_t& position : positions) {
    if (position < -extent || position >= extent) return {};
    if (position < 0) position += extent;
  }
  const Shape result = site.result_type().shape;
  const auto picked = sliced_along(site, site.input(0), axis, positions);
  if (!picked) return {};
  return reshaped(site, *picked, result);
}

Replacement compress_to_slice(Site& site) {
  const ops::Attributes& attributes = site.node().attributes;
  if (!attributes.has("axis")) return {};
  const std::size_t axis = ops::axis_of(attributes, site.type(site.input(0)).shape.size());
  return sliced_along(site, site.input(0), axis, ops::kept_positions(attributes));
}

}  // namespace

RuleTable slice_rules() {
  const auto above = [](Company company) {
    return [company](Site& site) { return slice_above_pointwise(site, company); };
  };
  // clang-format off: a table, two lines a rule
  return {
      {"slice-of-slice",
       "x[a:b][c:d]",
       "x[a+c:a+d]",
       "steps multiply",
       RuleClass::Exact,
       {"Slice"},
       slice_of_slice},
      {"explicit-slice",
       "x[-3:1000]",
       "x[2:5]",
       "bounds within the tensor, axes that are cut alone: so that equal slices look equal",
       RuleClass::Exact,
       {"Slice"},
       explicit_slice},
      {"slice-of-concat",
       "concat(x, y)[a:b]",
       "y[a-n:b-n]",
       "where the slice lies within one part",
       RuleClass::Exact,
       {"Slice"},
       slice_of_concat},
      {"slice-of-pad",
       "pad(x)[a:b]",
       "x[a-n:b-n]",
       "where the slice lies within x",
       RuleClass::Exact,
       {"Slice"},
       slice_of_pad},
      {"slice-of-expand",
       "expand(x)[a:b]",
       "expand(x[a:b])",
       "where x broadcasts, its only element is taken; nothing else needs expand(x)",
       RuleClass::Exact,
       {"Slice"},
       slice_of_expand},
      {"slice-of-transpose",
       "transpose(x)[a:b]",
       "transpose(x[a:b])",
       "fewer elements move; nothing else needs transpose(x)",
       RuleClass::Exact,
       {"Slice"},
       slice_of_transpose},
      {"slice-above-unary",
       "f(x)[a:b]",
       "f(x[a:b])",
       "where f works element by element, and nothing else needs f(x)",
       RuleClass::Exact,
       {"Slice"},
       above(Company::Alone)},
      {"slice-above-elementwise",
       "f(x, y)[a:b]",
       "f(x[a:b], y[a:b])",
       "where f makes so many elements fewer that another slice pays; nothing else needs f(x, y)",
       RuleClass::Exact,
       {"Slice"},
       above(Company::Alike)},
      {"slice-above-product",
       "matmul(a, b)[r, c]",
       "matmul(a[r, :], b[:, c])",
       "rows that nothing else needs are not computed",
       RuleClass::Exact,
       {"Slice"},
       slice_above_product},
      {"gather-to-slice",
       "gather(x, [a, a+s, ...])",
       "x[a::s]",
       "where the indices are constant and evenly spaced; one index drops its axis by a reshape",
       RuleClass::Exact,
       {"Gather"},
       gather_to_slice},
      {"compress-to-slice",
       "compress(x, 0 1 1 0)",
       "x[1:3]",
       "where what is kept is evenly spaced",
       RuleClass::Exact,
       {"Compress"},
       compress_to_slice},
  };
  // clang-format on
}

}  // namespace loopglass::passes::rules
