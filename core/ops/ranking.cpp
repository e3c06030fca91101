// Operators about order along an axis: TopK, ArgMax, ArgMin, CumSum.
//
// As in numpy, ArgMax and ArgMin pick a NaN before all else, and TopK takes it for the greatest.
#include "core/ops/families.h"
#include "core/ops/support.h"

#include <fmt/format.h>

namespace loopglass::ops {

namespace {

Expr is_nan(const Expr& x) {
  return is_float(x.type()) ? expr::unary(expr::UnaryOperator::IsNan, x) : expr::boolean(false);
}

// --- ArgMax and ArgMin -------------------------------------------------------------------------

Result<Types> infer_arg(const InferContext& c) {
  TRY_VOID(require_type(c, 0, number_types));
  Shape shape = c.input(0).shape;
  const auto axis =
      static_cast<std::size_t>(TRY(normalise_axis(c.attributes.integer("axis"), shape.size())));
  if (shape[axis] == 0)
    return misused(
        fmt::format("axis {} of {} has no element to pick", axis, to_string(c.input(0))));
  shape[axis] = 1;
  if (c.attributes.integer("keepdims") == 0)
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  return Types{{DataType::Int64, shape}};
}

Result<Computed> compute_arg(ComputeContext& c, te::Reducer best) {
  const Shape shape = shape_of(c.input(0));
  const std::size_t axis = axis_of(c.attributes, shape.size());
  const bool keep = c.attributes.integer("keepdims") != 0,
             last = c.attributes.integer("select_last_index") != 0;
  const std::vector<Expr> outer = te::extents(c.outputs[0].shape), along = {shape[axis]};
  const auto at = [&](const Indices& i, const Expr& r) {
    return keep ? replaced(i, axis, r) : inserted(i, axis, r);
  };
  const te::Tensor value =
      c.builder.reduce(c.name + "_value", outer, along, best,
                       [&](const Indices& i, const Indices& r) { return c.input(0)(at(i, r[0])); });
  // No index lies at `nowhere`, so that it loses against every place of the best value.
  const Expr nowhere = last ? Expr(-1) : Expr(shape[axis]);
  return Computed{c.builder.reduce(c.name, outer, along, last ? te::Reducer::Max : te::Reducer::Min,
                                   [&](const Indices& i, const Indices& r) {
                                     const Expr x = c.input(0)(at(i, r[0]));
                                     Expr found = expr::equal(x, value(i));
                                     if (is_float(x.type())) found = found || is_nan(x);
                                     return expr::select(found, r[0], nowhere);
                                   })};
}

OpDef arg_best(std::string name, te::Reducer best, std::string doc) {
  return {
      .name = name,
      .family = Family::Indexing,
      .doc = std::move(doc),
      .inputs = {{"data"}},
      .outputs = {{"reduced"}},
      .attributes = {attribute("axis", 0, "along which"),
                     attribute("keepdims", 1, "1: the axis stays, with extent 1"),
                     attribute("select_last_index", 0, "1: the last of equals, not the first")},
      .infer = infer_arg,
      .compute = [best](ComputeContext& c) { return compute_arg(c, best); },
      .onnx = {{name, 1}},
      .relay_kind = PatternKind::CommReduce,
  };
}

// --- TopK --------------------------------------------------------------------------------------

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

OpDef top_k() {
  return {
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
      .infer = [](const InferContext& c) -> Result<Types> {
        TRY_VOID(require_type(c, 0, number_types));
        Shape shape = c.input(0).shape;
        const auto axis = static_cast<std::size_t>(
            TRY(normalise_axis(c.attributes.integer("axis"), shape.size())));
        const std::int64_t k = c.attributes.integer("k");
        if (k < 0 || k > shape[axis])
          return misused(fmt::format("the first {} of {} elements", k, shape[axis]));
        shape[axis] = k;
        return Types{{c.input(0).type, shape}, {DataType::Int64, shape}};
      },
      .compute = [](ComputeContext& c) -> Result<Computed> {
        const te::Tensor& x = c.input(0);
        const Shape shape = shape_of(x);
        const std::size_t axis = axis_of(c.attributes, shape.size());
        const bool largest = c.attributes.integer("largest") != 0;
        const std::vector<Expr> along = {shape[axis]}, outer = te::extents(c.outputs[0].shape);
        // An element's rank is the number of elements before it; ranks are distinct.
        const te::Tensor rank = c.builder.reduce(
            c.name + "_rank", x.shape, along, te::Reducer::Sum,
            [&](const Indices& i, const Indices& r) {
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
      },
      .onnx = {{"TopK", 1, 9}, {.name = "TopK", .since = 10, .bound = {{1, "k"}}}},
  };
}

// --- CumSum ------------------------------------------------------------------------------------

OpDef cumulative_sum() {
  return {
      .name = "CumSum",
      .family = Family::Indexing,
      .doc = "The sum of all elements up to each one along an axis.",
      .inputs = {{"x"}},
      .outputs = {{"y"}},
      .attributes = {required_attribute("axis", AttributeKind::Int, "along which"),
                     attribute("exclusive", 0, "1: without the element itself"),
                     attribute("reverse", 0, "1: from the end")},
      .infer = [](const InferContext& c) -> Result<Types> {
        TRY_VOID(require_type(c, 0, number_types));
        TRY(normalise_axis(c.attributes.integer("axis"), c.input(0).shape.size()));
        return Types{c.input(0)};
      },
      .compute = [](ComputeContext& c) -> Result<Computed> {
        const te::Tensor& x = c.input(0);
        const std::size_t axis = axis_of(c.attributes, x.rank());
        const bool exclusive = c.attributes.integer("exclusive") != 0,
                   reverse = c.attributes.integer("reverse") != 0;
        return Computed{reduce_as(
            c.builder, c.name, x.type, x.shape, {x.shape[axis]}, te::Reducer::Sum,
            [&](const Indices& i, const Indices& r) {
              const Expr first = reverse ? i[axis] : r[0], second = reverse ? r[0] : i[axis];
              const Expr element = x(replaced(i, axis, r[0]));
              return expr::select(exclusive ? first < second : first <= second, element,
                                  expr::constant(x.type, 0));
            })};
      },
      .onnx = {{.name = "CumSum", .since = 11, .bound = {{1, "axis"}}}},
      .relay_kind = PatternKind::Opaque,
  };
}

}  // namespace

std::vector<OpDef> ranking() {
  return {
      arg_best("ArgMax", te::Reducer::Max, "Where along an axis the greatest element is."),
      arg_best("ArgMin", te::Reducer::Min, "Where along an axis the least element is."),
      top_k(),
      cumulative_sum(),
  };
}

}  // namespace loopglass::ops
