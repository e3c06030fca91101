// Operators that write at places other data names: ScatterElements and ScatterND.
//
// A tensor expression says where a result comes from, so each element looks for the updates that
// point at it: a reduction over the updates that could. Where several updates point at one element
// and none is to be combined, the last one wins. An index outside the tensor writes nothing.
#include "core/ops/families.h"
#include "core/ops/support.h"

#include <fmt/format.h>

#include <algorithm>

namespace loopglass::ops {

namespace {

const auto reduction_attribute = [] {
  return attribute("reduction", "none",
                   "none, add, mul, max or min: how updates of one element combine with it");
};

Result<void> require_reduction(const InferContext& c) {
  TRY_VOID(require_choice(c.attributes, "reduction", {"none", "add", "mul", "max", "min"}));
  if (c.attributes.string("reduction") != "none") TRY_VOID(require_type(c, 0, number_types));
  TRY_VOID(require_type(c, 1, index_types));
  if (c.input(2).type != c.input(0).type)
    return misused("data and updates have different element types");
  return {};
}

te::Reducer reducer_of(const std::string& reduction) {
  if (reduction == "add") return te::Reducer::Sum;
  if (reduction == "mul") return te::Reducer::Product;
  return reduction == "max" ? te::Reducer::Max : te::Reducer::Min;
}

// Over which updates an element searches, whether one points at it, and the update itself. Which
// one it is depends on so many of the element's first indices.
struct Search {
  std::size_t leading;
  std::vector<Expr> extents;
  std::function<Expr(const Indices& i, const Indices& r)> matches;
  std::function<Expr(const Indices& i, const Indices& r)> update;
};

// The position of the last update that points at each element, or a negative number; then data with
// these updates in place.
Computed scatter_last(ComputeContext& c, const Search& search) {
  const Shape searched = te::concrete(search.extents);
  const auto leading = [&](const auto& all) {
    return std::vector<Expr>(all.begin(),
                             all.begin() + static_cast<std::ptrdiff_t>(search.leading));
  };
  const te::Tensor source =
      c.builder.reduce(c.name + "_source", leading(c.input(0).shape), search.extents,
                       te::Reducer::Max, [&](const Indices& i, const Indices& r) {
                         return expr::select(search.matches(i, r), linear_index(r, searched), -1);
                       });
  return {c.builder.compute(c.name, c.input(0).shape, [&](const Indices& i) {
    const Expr from = source(leading(i));
    return expr::select(from >= 0, search.update(i, indices_at(from, searched)), c.input(0)(i));
  })};
}

Computed scatter_combined(ComputeContext& c, const Search& search, te::Reducer reducer) {
  const DataType type = c.outputs[0].type;
  const te::Tensor combined = c.builder.reduce(
      c.name + "_updates", c.input(0).shape, search.extents, reducer,
      [&](const Indices& i, const Indices& r) {
        const Expr update = widened(search.update(i, r));
        return expr::select(search.matches(i, r), update, te::identity(reducer, update.type()));
      });
  return {c.builder.compute(c.name, c.input(0).shape, [&](const Indices& i) {
    return expr::cast(type, te::combine(reducer, widened(c.input(0)(i)), combined(i)));
  })};
}

Computed scattered(ComputeContext& c, const Search& search) {
  const std::string& reduction = c.attributes.string("reduction");
  // Without updates (their extents may be 0) data stays as it is.
  const Shape searched = te::concrete(search.extents);
  if (std::find(searched.begin(), searched.end(), 0) != searched.end())
    return {map(c.builder, c.name, c.input(0), [](Expr x) { return x; })};
  return reduction == "none" ? scatter_last(c, search)
                             : scatter_combined(c, search, reducer_of(reduction));
}

OpDef scatter_elements() {
  return {
      .name = "ScatterElements",
      .family = Family::Indexing,
      .doc =
          "Data, with each element of updates put at its own place but for one axis, where indices "
          "say.",
      .inputs = {{"data"},
                 {"indices", Arity::Required, "negative: counted from the end"},
                 {"updates"}},
      .outputs = {{"output"}},
      .attributes = {attribute("axis", 0, "the axis that indices count along"),
                     reduction_attribute()},
      .infer = [](const InferContext& c) -> Result<Types> {
        TRY_VOID(require_reduction(c));
        const Shape& data = c.input(0).shape;
        const Shape& indices = c.input(1).shape;
        const auto axis = static_cast<std::size_t>(
            TRY(normalise_axis(c.attributes.integer("axis"), data.size())));
        bool fits = indices.size() == data.size() && c.input(2).shape == indices;
        for (std::size_t d = 0; fits && d < data.size(); ++d)
          fits = d == axis || indices[d] <= data[d];
        if (!fits)
          return misused(fmt::format("indices {} and updates {} do not fit {}",
                                     to_string(c.input(1)), to_string(c.input(2)),
                                     to_string(c.input(0))));
        return Types{c.input(0)};
      },
      .compute = [](ComputeContext& c) -> Result<Computed> {
        const std::size_t axis = axis_of(c.attributes, c.input(0).rank());
        const Shape data = shape_of(c.input(0)), indices = shape_of(c.input(1));
        // Other axes of a shorter updates tensor end early; beyond, nothing is updated.
        const auto covered = [=](const Indices& i) {
          std::vector<Expr> inside;
          for (std::size_t d = 0; d < data.size(); ++d)
            if (d != axis && indices[d] < data[d]) inside.push_back(i[d] < indices[d]);
          return inside;
        };
        const auto at = [=](const Indices& i, const Indices& r) { return replaced(i, axis, r[0]); };
        return scattered(
            c, {data.size(),
                {indices[axis]},
                [=, &c](const Indices& i, const Indices& r) {
                  const Expr target = wrap_index(c.input(1)(at(i, r)), data[axis]);
                  const Expr points_here = expr::equal(target, i[axis]);
                  const std::vector<Expr> inside = covered(i);
                  return inside.empty()
                             ? points_here
                             : expr::select(all_hold(inside), points_here, expr::boolean(false));
                },
                [=, &c](const Indices& i, const Indices& r) { return c.input(2)(at(i, r)); }});
      },
      // Scatter is what ScatterElements was called first.
      .onnx = {{"ScatterElements", 11}, {"Scatter", 9}},
      .relay_kind = PatternKind::Opaque,
  };
}

OpDef scatter_nd() {
  return {
      .name = "ScatterND",
      .family = Family::Indexing,
      .doc =
          "Data, with slices of updates put where tuples of indices say, which lie along their "
          "last axis.",
      .inputs = {{"data"},
                 {"indices", Arity::Required, "negative: counted from the end"},
                 {"updates"}},
      .outputs = {{"output"}},
      .attributes = {reduction_attribute()},
      .infer = [](const InferContext& c) -> Result<Types> {
        TRY_VOID(require_reduction(c));
        const Shape& data = c.input(0).shape;
        const Shape& indices = c.input(1).shape;
        if (indices.empty() || indices.back() > static_cast<std::int64_t>(data.size()))
          return misused(fmt::format("indices {} do not fit {}", to_string(c.input(1)),
                                     to_string(c.input(0))));
        Shape updates(indices.begin(), indices.end() - 1);
        updates.insert(updates.end(), data.begin() + indices.back(), data.end());
        if (c.input(2).shape != updates)
          return misused(fmt::format("updates are {}, not of shape {}", to_string(c.input(2)),
                                     to_string(updates)));
        return Types{c.input(0)};
      },
      .compute = [](ComputeContext& c) -> Result<Computed> {
        const Shape data = shape_of(c.input(0)), indices = shape_of(c.input(1));
        const auto tuple = static_cast<std::size_t>(indices.back());
        return scattered(
            c, {tuple, te::extents(Shape(indices.begin(), indices.end() - 1)),
                [=, &c](const Indices& i, const Indices& r) {
                  std::vector<Expr> matches;
                  for (std::size_t d = 0; d < tuple; ++d) {
                    Indices at = r;
                    at.emplace_back(static_cast<std::int64_t>(d));
                    matches.push_back(expr::equal(wrap_index(c.input(1)(at), data[d]), i[d]));
                  }
                  return all_hold(matches);
                },
                [=, &c](const Indices& i, const Indices& r) {
                  Indices at = r;
                  at.insert(at.end(), i.begin() + static_cast<std::ptrdiff_t>(tuple), i.end());
                  return c.input(2)(at);
                }});
      },
      .onnx = {{"ScatterND", 11}},
      .relay_kind = PatternKind::Opaque,
  };
}

}  // namespace

std::vector<OpDef> scatter() { return {scatter_elements(), scatter_nd()}; }

}  // namespace loopglass::ops
