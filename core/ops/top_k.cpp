// TopK: the first elements along an axis in order, and where they were. A NaN is the greatest.
//
// An element's place is the number of elements that come before it: so it is defined, and computed
// where few are searched among. The graph pass write-loops makes a loop nest of others.
#include "core/ops/families.h"
#include "core/ops/support.h"

#include <fmt/format.h>

namespace loopglass::ops {

namespace {

// Whether x comes before y; equal elements keep their order.
Expr precedes(const Expr& x, const Expr& y, const Expr& x_index, const Expr& y_index,
              bool largest) {
  const auto above = [](const Expr& a, const Expr& b) {
    return is_float(a.type())
               ? a > b || (is_nan(a) && expr::unary(expr::UnaryOperator::Not, is_nan(b)))
               : a > b;
  };
  const Expr before = largest ? above(x, y) : above(y, x),
             after = largest ? above(y, x) : above(x, y);
  return before || (expr::unary(expr::UnaryOperator::Not, after) && x_index < y_index);
}

Result<Computed> compute_top_k(ComputeContext& c) {
  const te::Tensor& x = c.input(0);
  const std::size_t axis = axis_of(c.attributes, x.rank());
  const bool largest = c.attributes.integer("largest") != 0;
  const std::vector<Expr> along = {x.shape[axis]}, outer = te::extents(c.outputs[0].shape);
  const te::Tensor rank = c.builder.reduce(
      c.name + "_rank", x.shape, along, te::Reducer::Sum, [&](const Indices& i, const Indices& r) {
        return expr::cast(DataType::Int64,
                          precedes(x(replaced(i, axis, r[0])), x(i), r[0], i[axis], largest));
      });
  const te::Tensor index = c.builder.reduce(
      "Indices", outer, along, te::Reducer::Max, [&](const Indices& i, const Indices& r) {
        return expr::select(expr::equal(rank(replaced(i, axis, r[0])), i[axis]), r[0], 0);
      });
  const te::Tensor values = c.builder.compute(
      c.name, outer, [&](const Indices& i) { return x(replaced(i, axis, index(i))); });
  return Computed{values, index};
}

Result<Types> infer_top_k(const InferContext& c) {
  TRY_VOID(require_type(c, 0, number_types));
  Shape shape = c.input(0).shape;
  const auto axis =
      static_cast<std::size_t>(TRY(normalise_axis(c.attributes.integer("axis"), shape.size())));
  const std::int64_t k = c.attributes.integer("k");
  if (k < 0 || k > shape[axis])
    return misused(fmt::format("the first {} of {} elements", k, shape[axis]));
  shape[axis] = k;
  return Types{{c.input(0).type, shape}, {DataType::Int64, shape}};
}

}  // namespace

std::vector<OpDef> top_k() {
  return {{
      .name = "TopK",
      .family = Family::Indexing,
      .doc = "The k largest or smallest elements along an axis, in order, and where they were.",
      .inputs = {{"X"}},
      .outputs = {{"Values"}, {"Indices"}},
      .attributes = {required_attribute("k", AttributeKind::Int, "how many"),
                     attribute("axis", -1, "along which"),
                     attribute("largest", 1, "0: the smallest"),
                     attribute("sorted", 1,
                               "0: the order does not matter (they are sorted all the same)")},
      .infer = infer_top_k,
      .compute = compute_top_k,
      .onnx = {{"TopK", 1, 9}, {.name = "TopK", .since = 10, .bound = {{1, "k"}}}},
  }};
}

}  // namespace loopglass::ops
