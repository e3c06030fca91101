// Operators that go along an axis: ArgMax, ArgMin, CumSum.
//
// As in numpy, ArgMax and ArgMin pick a NaN before all else.
#include "core/ops/families.h"
#include "core/ops/support.h"
#include "core/support/ceil_div.h"

#include <fmt/format.h>

namespace loopglass::ops {

namespace {

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

// --- CumSum ------------------------------------------------------------------------------------

// Along a longer axis each sum is that of the blocks before its own, and of the elements in it.
constexpr std::int64_t longest_prefix = 64;

// The terms along the axis in the order in which they are summed.
struct Prefixes {
  const te::Tensor& x;
  std::size_t axis;
  std::int64_t count;
  bool exclusive, reverse;

  Expr turn(const Expr& place) const { return reverse ? Expr(count - 1) - place : place; }
  Expr counts(const Expr& term, const Expr& place) const {
    return exclusive ? term < place : term <= place;
  }
  // Zero beyond the last.
  Expr term(const Indices& i, const Expr& place, bool may_be_beyond) const {
    const auto at = [&](const Expr& p) { return widened(x(replaced(i, axis, turn(p)))); };
    if (!may_be_beyond) return at(place);
    const Expr inside = at(clamp_index(place, count));
    return expr::select(place < count, inside, expr::constant(inside.type(), 0));
  }
};

te::Tensor whole_prefixes(ComputeContext& c, const Prefixes& of) {
  return reduce_as(c.builder, c.name, of.x.type, of.x.shape, {Expr(of.count)}, te::Reducer::Sum,
                   [&](const Indices& i, const Indices& r) {
                     const Expr element = of.x(replaced(i, of.axis, of.turn(r[0])));
                     return expr::select(of.counts(r[0], of.turn(i[of.axis])), element,
                                         expr::constant(of.x.type, 0));
                   });
}

te::Tensor blocked_prefixes(ComputeContext& c, const Prefixes& of) {
  std::int64_t length = 1;
  while (length * length < of.count) ++length;
  const std::int64_t blocks = ceil_div(of.count, length);
  const bool is_uneven = blocks * length != of.count;
  const DataType sum_type = accumulator_type(of.x.type);
  std::vector<Expr> of_blocks = of.x.shape;
  of_blocks[of.axis] = blocks;
  const te::Tensor sums =
      c.builder.reduce(c.name + "_blocks", of_blocks, {Expr(length)}, te::Reducer::Sum,
                       [&](const Indices& i, const Indices& r) {
                         return of.term(i, i[of.axis] * length + r[0], is_uneven);
                       });
  const te::Tensor before =
      c.builder.reduce(c.name + "_before", of_blocks, {Expr(blocks)}, te::Reducer::Sum,
                       [&](const Indices& i, const Indices& r) {
                         return expr::select(r[0] < i[of.axis], sums(replaced(i, of.axis, r[0])),
                                             expr::constant(sum_type, 0));
                       });
  const te::Tensor within = c.builder.reduce(
      c.name + "_within", of.x.shape, {Expr(length)}, te::Reducer::Sum,
      [&](const Indices& i, const Indices& r) {
        const Expr place = of.turn(i[of.axis]),
                   term = expr::floor_div(place, length) * length + r[0];
        return expr::select(of.counts(r[0], expr::floor_mod(place, length)),
                            of.term(i, term, is_uneven), expr::constant(sum_type, 0));
      });
  return c.builder.compute(c.name, of.x.shape, [&](const Indices& i) {
    const Expr block = expr::floor_div(of.turn(i[of.axis]), length);
    return expr::cast(of.x.type, before(replaced(i, of.axis, block)) + within(i));
  });
}

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
        const Prefixes prefixes{x, axis, shape_of(x)[axis], c.attributes.integer("exclusive") != 0,
                                c.attributes.integer("reverse") != 0};
        return Computed{prefixes.count <= longest_prefix ? whole_prefixes(c, prefixes)
                                                         : blocked_prefixes(c, prefixes)};
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
      cumulative_sum(),
  };
}

}  // namespace loopglass::ops
