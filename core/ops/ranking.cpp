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

// Along a longer axis each sum is that of the blocks before its own, which are summed in the same
// way, and of the elements in it: as many as a vector has lanes, so that these lie in one block.
constexpr std::int64_t longest_prefix = 64, block_length = 16;

// The terms along the axis in the order in which they are summed.
struct Prefixes {
  const te::Tensor& x;
  std::size_t axis;
  std::int64_t count;
  bool exclusive, reverse;

  Expr turn(const Expr& place) const { return reverse ? Expr(count - 1) - place : place; }
  Expr term(const Indices& i, const Expr& place) const {
    return widened(x(replaced(i, axis, turn(place))));
  }
  Expr zero() const { return expr::constant(accumulator_type(x.type), 0); }
};

te::Tensor whole_prefixes(ComputeContext& c, const std::string& name, const Prefixes& of) {
  return c.builder.reduce(name, of.x.shape, {Expr(of.count)}, te::Reducer::Sum,
                          [&](const Indices& i, const Indices& r) {
                            const Expr place = of.turn(i[of.axis]);
                            return expr::select(of.exclusive ? r[0] < place : r[0] <= place,
                                                of.term(i, r[0]), of.zero());
                          });
}

// In the type that sums have.
te::Tensor prefixes(ComputeContext& c, const std::string& name, const Prefixes& of) {
  if (of.count <= longest_prefix) return whole_prefixes(c, name, of);
  const std::int64_t blocks = ceil_div(of.count, block_length);
  const bool is_even = of.count % block_length == 0;
  std::vector<Expr> of_blocks = of.x.shape;
  of_blocks[of.axis] = blocks;
  const te::Tensor totals = c.builder.reduce(
      name + "_blocks", of_blocks, {Expr(block_length)}, te::Reducer::Sum,
      [&](const Indices& i, const Indices& r) {
        const Expr place = i[of.axis] * block_length + r[0];
        if (is_even) return of.term(i, place);
        return expr::select(place < of.count, of.term(i, clamp_index(place, of.count)), of.zero());
      });
  const te::Tensor before = prefixes(c, name + "_before", {totals, of.axis, blocks, true, false});
  // The terms of an element's block up to its own: from the block's first on, which all lanes of a
  // vector read together, or, where vectors begin inside blocks, backwards from the element.
  const te::Tensor within = c.builder.reduce(
      name + "_within", of.x.shape, {Expr(block_length)}, te::Reducer::Sum,
      [&](const Indices& i, const Indices& r) {
        const Expr place = of.turn(i[of.axis]), own = expr::floor_mod(place, block_length);
        if (is_even)
          return expr::select(
              of.exclusive ? r[0] < own : r[0] <= own,
              of.term(i, expr::floor_div(place, block_length) * block_length + r[0]), of.zero());
        Expr counts = r[0] <= own;
        if (of.exclusive) counts = counts && r[0] > 0;
        return expr::select(counts, of.term(i, place - r[0]), of.zero());
      });
  return c.builder.compute(name, of.x.shape, [&](const Indices& i) {
    const Expr block = expr::floor_div(of.turn(i[of.axis]), block_length);
    return before(replaced(i, of.axis, block)) + within(i);
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
        const Prefixes terms{x, axis, shape_of(x)[axis], c.attributes.integer("exclusive") != 0,
                             c.attributes.integer("reverse") != 0};
        const te::Tensor sums = prefixes(c, c.name + "_sums", terms);
        return Computed{c.builder.compute(
            c.name, x.shape, [&](const Indices& i) { return expr::cast(x.type, sums(i)); })};
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
