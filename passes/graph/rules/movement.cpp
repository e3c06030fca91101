#include "passes/graph/rules/movement.h"

#include "core/ops/registry.h"
#include "core/support/check.h"
#include "core/tensor/rearrange.h"

#include <algorithm>

namespace loopglass::passes::rules {

namespace {

bool is_pointwise_operator(const ops::OpDef& op) {
  return op.family == ops::Family::Elementwise || op.family == ops::Family::Activation ||
         op.family == ops::Family::Comparison;
}

// The type of the node's result on operands of these types, nothing where the operator refuses.
std::optional<TensorType> result_on(const graph::Node& node,
                                    const std::vector<TensorType>& operands) {
  std::vector<const TensorType*> types;
  for (std::size_t k = 0; k < node.inputs.size(); ++k)
    types.push_back(node.inputs[k] ? &operands[k] : nullptr);
  ops::Attributes attributes = node.attributes;
  const auto inferred = ops::infer(*node.op, types, attributes, 1);
  if (!inferred) return std::nullopt;
  return inferred->front();
}

bool fits(Company company, std::size_t moved, std::size_t constants) {
  switch (company) {
    case Company::Alone: return moved == 1 && constants == 0;
    case Company::Alike: return moved > 1 && constants == 0;
    case Company::Constants: return moved > 0 && constants > 0;
  }
  __builtin_unreachable();
}

}  // namespace

// --- pointwise operators -------------------------------------------------------------------------

bool is_pointwise(const graph::Node& node) {
  return is_pointwise_operator(*node.op) && node.outputs.size() == 1;
}

const std::vector<std::string>& pointwise_operators() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> found;
    for (const ops::OpDef& op : ops::all_operators())
      if (is_pointwise_operator(op)) found.push_back(op.name);
    return found;
  }();
  return names;
}

std::optional<graph::ValueId> before_move(Site& site, const Move& move, Company company) {
  const graph::Node& node = site.node();
  std::vector<graph::ValueId> inputs = node.inputs;
  std::vector<TensorType> types(inputs.size());
  std::vector<std::pair<std::size_t, Tensor>> constants;
  std::size_t moved = 0;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    if (!inputs[k]) continue;
    if (const auto unmoved = move.undo(inputs[k])) {
      inputs[k] = *unmoved;
      ++moved;
    } else if (elements(site, inputs[k]) != 1) {
      const Tensor* constant = site.constant(inputs[k]);
      // One that others need as well would be there twice.
      if (company != Company::Constants || constant == nullptr || !site.only_user(inputs[k]))
        return std::nullopt;
      const auto unmoved_constant = move.undo_constant(*constant);
      if (!unmoved_constant) return std::nullopt;
      constants.emplace_back(k, *unmoved_constant);
      types[k] = unmoved_constant->type();
      continue;
    }
    types[k] = site.type(inputs[k]);
  }
  if (!fits(company, moved, constants.size())) return std::nullopt;
  if (result_on(node, types) != TensorType{site.result_type().type, move.unmoved})
    return std::nullopt;
  for (auto& [k, constant] : constants) inputs[k] = site.make_constant(std::move(constant));
  return site.make(node.op->name, std::move(inputs), node.attributes);
}

// --- shapes --------------------------------------------------------------------------------------

std::int64_t elements(const Site& site, graph::ValueId value) {
  return element_count(site.type(value).shape);
}

Shape with_leading_ones(Shape shape, std::size_t rank) {
  CHECK(shape.size() <= rank);
  shape.insert(shape.begin(), rank - shape.size(), 1);
  return shape;
}

const std::vector<std::string>& regroupings() {
  static const std::vector<std::string> names{"Reshape", "Flatten", "Squeeze", "Unsqueeze"};
  return names;
}

const graph::Node* regrouping(Site& site, graph::ValueId value) {
  for (const std::string& op : regroupings())
    if (const graph::Node* found = site.producer(value, op)) return found;
  return nullptr;
}

ops::Attributes reshape_attributes(const Shape& shape) { return ops::reshape_to(shape).attributes; }

graph::ValueId reshaped(Site& site, graph::ValueId value, const Shape& shape) {
  if (site.type(value).shape == shape) return value;
  return site.make("Reshape", {value}, reshape_attributes(shape));
}

graph::ValueId expanded(Site& site, graph::ValueId value, const Shape& shape) {
  if (site.type(value).shape == shape) return value;
  return site.make("Expand", {value}, {{"shape", shape}});
}

// --- permutations --------------------------------------------------------------------------------

Integers permutation_of(const Site& site, const graph::Node& transpose) {
  return ops::permutation(transpose.attributes, site.type(transpose.inputs[0]).shape.size());
}

bool is_identity(const Integers& permutation) {
  for (std::size_t d = 0; d < permutation.size(); ++d)
    if (permutation[d] != static_cast<std::int64_t>(d)) return false;
  return true;
}

Integers inverse(const Integers& permutation) {
  Integers result(permutation.size());
  for (std::size_t d = 0; d < permutation.size(); ++d)
    result[static_cast<std::size_t>(permutation[d])] = static_cast<std::int64_t>(d);
  return result;
}

std::vector<std::int64_t> permuted(const std::vector<std::int64_t>& extents,
                                   const Integers& permutation) {
  std::vector<std::int64_t> result;
  for (const std::int64_t axis : permutation)
    result.push_back(extents[static_cast<std::size_t>(axis)]);
  return result;
}

Tensor permuted(const Tensor& tensor, const Integers& permutation) {
  Tensor result(TensorType{tensor.data_type(), permuted(tensor.shape(), permutation)});
  gather(tensor, permuted(row_major_strides(tensor.shape()), permutation), result);
  return result;
}

bool moves_unit_axes_only(const Integers& permutation, const Shape& from) {
  std::int64_t last = -1;
  for (const std::int64_t axis : permutation) {
    if (from[static_cast<std::size_t>(axis)] == 1) continue;
    if (axis < last) return false;
    last = axis;
  }
  return true;
}

graph::ValueId transposed(Site& site, graph::ValueId value, const Integers& permutation) {
  if (is_identity(permutation)) return value;
  return site.make("Transpose", {value}, {{"perm", permutation}});
}

// --- slices --------------------------------------------------------------------------------------

Slicing normalised(Slicing slicing) {
  for (ops::Stride& stride : slicing) {
    if (stride.count <= 1) stride.step = 1;
    if (stride.count == 0) stride.start = 0;
  }
  return slicing;
}

Slicing slicing_of(const Site& site, const graph::Node& slice) {
  auto slicing = ops::strides_of(slice.attributes, site.type(slice.inputs[0]).shape);
  CHECK(slicing.has_value());  // infer has accepted it
  return normalised(*std::move(slicing));
}

bool takes_everything(const Slicing& slicing, const Shape& from) {
  for (std::size_t d = 0; d < from.size(); ++d)
    if (slicing[d] != ops::Stride{0, 1, from[d]}) return false;
  return true;
}

bool takes_nothing(const Slicing& slicing) {
  return std::ranges::any_of(slicing, [](const ops::Stride& stride) { return stride.count == 0; });
}

Shape sliced_shape(const Slicing& slicing) {
  Shape shape;
  for (const ops::Stride& stride : slicing) shape.push_back(stride.count);
  return shape;
}

ops::Attributes slice_attributes(const Slicing& slicing, const Shape& from) {
  Integers starts, ends, axes, steps;
  for (std::size_t d = 0; d < from.size(); ++d) {
    const auto& [start, step, count] = slicing[d];
    if (slicing[d] == ops::Stride{0, 1, from[d]}) continue;
    std::int64_t end = count == 0 ? start : start + (count - 1) * step + (step > 0 ? 1 : -1);
    if (end < 0) end -= from[d];  // before the first element; -1 would be the last one
    starts.push_back(start);
    ends.push_back(end);
    axes.push_back(static_cast<std::int64_t>(d));
    steps.push_back(step);
  }
  ops::Attributes attributes{{"starts", starts}, {"ends", ends}, {"axes", axes}};
  if (std::ranges::any_of(steps, [](std::int64_t step) { return step != 1; }))
    attributes.set("steps", steps);
  return attributes;
}

graph::ValueId sliced(Site& site, graph::ValueId value, const Slicing& slicing) {
  const Shape from = site.type(value).shape;
  if (takes_everything(slicing, from)) return value;
  return site.make("Slice", {value}, slice_attributes(slicing, from));
}

std::optional<ops::Stride> evenly_spaced(const Integers& positions) {
  if (positions.empty()) return std::nullopt;
  const std::int64_t step = positions.size() > 1 ? positions[1] - positions[0] : 1;
  if (step == 0) return std::nullopt;
  for (std::size_t k = 1; k < positions.size(); ++k)
    if (positions[k] - positions[k - 1] != step) return std::nullopt;
  return ops::Stride{positions.front(), step, static_cast<std::int64_t>(positions.size())};
}

}  // namespace loopglass::passes::rules
