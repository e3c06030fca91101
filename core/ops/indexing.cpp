// Operators that read at places other data names: Gather and its kin, OneHot.
//
// An index outside its axis breaks ONNX's contract, but it comes with the data and must not read
// outside the tensor: it is clamped to the nearest element.
#include "core/ops/families.h"
#include "core/ops/support.h"

#include <fmt/format.h>

#include <algorithm>

namespace loopglass::ops {

namespace {

Expr safe_index(Expr index, std::int64_t extent) {
  return clamp_index(wrap_index(std::move(index), extent), extent);
}

// Nothing can be read from a tensor without elements, however the indices are clamped.
Result<void> require_elements(const TensorType& data, const Shape& result) {
  if (element_count(data.shape) > 0 || checked_element_count(result) == 0) return {};
  return misused(fmt::format("there is no element to pick from {}", to_string(data)));
}

OpDef gather() {
  return {
      .name = "Gather",
      .family = Family::Indexing,
      .doc = "Slices of data along one axis, picked by indices of any shape.",
      .inputs = {{"data"}, {"indices", Arity::Required, "negative: counted from the end"}},
      .outputs = {{"output"}},
      .attributes = {attribute("axis", 0, "along which")},
      .infer = [](const InferContext& c) -> Result<Types> {
        TRY_VOID(require_type(c, 1, index_types));
        Shape shape = c.input(0).shape;
        const std::int64_t axis = TRY(normalise_axis(c.attributes.integer("axis"), shape.size()));
        const Shape& indices = c.input(1).shape;
        shape.erase(shape.begin() + axis);
        shape.insert(shape.begin() + axis, indices.begin(), indices.end());
        TRY_VOID(require_elements(c.input(0), shape));
        return Types{{c.input(0).type, shape}};
      },
      .compute = [](ComputeContext& c) -> Result<Computed> {
        const std::size_t axis = axis_of(c.attributes, c.input(0).rank()),
                          picked = c.input(1).rank();
        const std::int64_t extent = shape_of(c.input(0))[axis];
        return Computed{
            c.builder.compute(c.name, te::extents(c.outputs[0].shape), [&](const Indices& i) {
              const auto first = i.begin() + static_cast<std::ptrdiff_t>(axis),
                         last = first + static_cast<std::ptrdiff_t>(picked);
              Indices source(i.begin(), first);
              source.push_back(safe_index(c.input(1)(Indices(first, last)), extent));
              source.insert(source.end(), last, i.end());
              return c.input(0)(source);
            })};
      },
      .onnx = {{"Gather", 1}},
  };
}

OpDef gather_elements() {
  return {
      .name = "GatherElements",
      .family = Family::Indexing,
      .doc = "For each element of indices, the element of data at the same place but for one axis.",
      .inputs = {{"data"}, {"indices", Arity::Required, "negative: counted from the end"}},
      .outputs = {{"output"}},
      .attributes = {attribute("axis", 0, "the axis that indices count along")},
      .infer = [](const InferContext& c) -> Result<Types> {
        TRY_VOID(require_type(c, 1, index_types));
        const Shape& data = c.input(0).shape;
        const Shape& indices = c.input(1).shape;
        const auto axis = static_cast<std::size_t>(
            TRY(normalise_axis(c.attributes.integer("axis"), data.size())));
        bool fits = indices.size() == data.size();
        for (std::size_t d = 0; fits && d < data.size(); ++d)
          fits = d == axis || indices[d] <= data[d];
        if (!fits)
          return misused(fmt::format("indices {} do not fit in {}", to_string(c.input(1)),
                                     to_string(c.input(0))));
        TRY_VOID(require_elements(c.input(0), indices));
        return Types{{c.input(0).type, indices}};
      },
      .compute = [](ComputeContext& c) -> Result<Computed> {
        const std::size_t axis = axis_of(c.attributes, c.input(0).rank());
        const std::int64_t extent = shape_of(c.input(0))[axis];
        return Computed{
            c.builder.compute(c.name, te::extents(c.outputs[0].shape), [&](const Indices& i) {
              return c.input(0)(replaced(i, axis, safe_index(c.input(1)(i), extent)));
            })};
      },
      .onnx = {{"GatherElements", 11}},
  };
}

OpDef gather_nd() {
  return {
      .name = "GatherND",
      .family = Family::Indexing,
      .doc =
          "Slices of data picked by tuples of indices, which lie along the last axis of indices.",
      .inputs = {{"data"}, {"indices", Arity::Required, "negative: counted from the end"}},
      .outputs = {{"output"}},
      .attributes = {attribute("batch_dims", 0, "leading dimensions that data and indices share")},
      .infer = [](const InferContext& c) -> Result<Types> {
        TRY_VOID(require_type(c, 1, index_types));
        const Shape& data = c.input(0).shape;
        const Shape& indices = c.input(1).shape;
        const std::int64_t batch = c.attributes.integer("batch_dims");
        const auto rank = static_cast<std::int64_t>(std::min(data.size(), indices.size()));
        if (indices.empty() || batch < 0 || batch >= rank ||
            !std::equal(data.begin(), data.begin() + batch, indices.begin()) ||
            indices.back() > static_cast<std::int64_t>(data.size()) - batch)
          return misused(fmt::format("indices {} do not fit {} with {} batch dimensions",
                                     to_string(c.input(1)), to_string(c.input(0)), batch));
        Shape shape(indices.begin(), indices.end() - 1);
        shape.insert(shape.end(), data.begin() + batch + indices.back(), data.end());
        TRY_VOID(require_elements(c.input(0), shape));
        return Types{{c.input(0).type, shape}};
      },
      .compute = [](ComputeContext& c) -> Result<Computed> {
        const Shape data = shape_of(c.input(0)), indices = shape_of(c.input(1));
        const std::int64_t batch = c.attributes.integer("batch_dims");
        return Computed{
            c.builder.compute(c.name, te::extents(c.outputs[0].shape), [&](const Indices& i) {
              const auto tuple_end = i.begin() + static_cast<std::ptrdiff_t>(indices.size()) - 1;
              Indices source(i.begin(), i.begin() + batch);
              for (std::int64_t k = 0; k < indices.back(); ++k) {
                Indices at(i.begin(), tuple_end);
                at.emplace_back(k);
                source.push_back(safe_index(c.input(1)(at), data[source.size()]));
              }
              source.insert(source.end(), tuple_end, i.end());
              return c.input(0)(source);
            })};
      },
      .onnx = {{"GatherND", 11}},
  };
}

OpDef one_hot() {
  // ONNX takes the depth as an input of any number type.
  const auto adapt = [](Attributes attributes, const InferContext&) -> Result<Attributes> {
    const AttributeValue* value = attributes.find("depth_input");
    if (value == nullptr) return attributes;
    const Tensor depth = std::get<Tensor>(*value);
    if (depth.elements() != 1)
      return misused(fmt::format("the depth {} must have one element", to_string(depth.type())));
    attributes.erase("depth_input");
    attributes.set("depth", depth.integer_at(0));
    return attributes;
  };
  const auto restore = [](Attributes attributes) {
    attributes.set("depth_input", Tensor::of<std::int64_t>({}, {attributes.integer("depth")}));
    attributes.erase("depth");
    return attributes;
  };
  return {
      .name = "OneHot",
      .family = Family::Indexing,
      .doc = "A new axis that holds the on-value at the place an index names, else the off-value.",
      .inputs = {{"indices", Arity::Required, "negative: counted from the end; outside: nowhere"},
                 {"values", Arity::Required, "off, on"}},
      .outputs = {{"output"}},
      .attributes = {required_attribute("depth", AttributeKind::Int, "extent of the new axis"),
                     attribute("axis", -1, "where the new axis goes, counted in the result")},
      .infer = [](const InferContext& c) -> Result<Types> {
        TRY_VOID(require_type(c, 0, number_types));
        if (c.input(1).shape != Shape{2})
          return misused(fmt::format("values are {}, not two", to_string(c.input(1))));
        const std::int64_t depth = c.attributes.integer("depth");
        if (depth < 0) return misused(fmt::format("a depth of {}", depth));
        Shape shape = c.input(0).shape;
        const std::int64_t axis =
            TRY(normalise_axis(c.attributes.integer("axis"), shape.size() + 1));
        shape.insert(shape.begin() + axis, depth);
        return Types{{c.input(1).type, shape}};
      },
      .compute = [](ComputeContext& c) -> Result<Computed> {
        const std::size_t axis = axis_of(c.attributes, c.outputs[0].shape.size());
        const std::int64_t depth = c.attributes.integer("depth");
        return Computed{
            c.builder.compute(c.name, te::extents(c.outputs[0].shape), [&](const Indices& i) {
              const Expr index = wrap_index(c.input(0)(erased(i, axis)), depth);
              return expr::select(expr::equal(index, i[axis]), c.input(1)({1}), c.input(1)({0}));
            })};
      },
      .onnx = {{.name = "OneHot",
                .since = 9,
                .bound = {{1, "depth_input"}},
                .adapt = adapt,
                .restore = restore}},
      .relay_kind = PatternKind::OutElementwiseFusable,
  };
}

}  // namespace

std::vector<OpDef> indexing() { return {gather(), gather_elements(), gather_nd(), one_hot()}; }

}  // namespace loopglass::ops
