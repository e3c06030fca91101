// TopK: the first elements along an axis in order, and where they were. A NaN is the greatest.
//
// An element's place is the number of elements that come before it. Where few of many are wanted,
// that is counted in blocks of neighbours, of which as many are kept as are wanted; then the kept
// ones of two blocks each are merged, an element's place among both being that in its own block and
// the number of elements of the other one that come before it, until one block is left.
#include "core/ops/families.h"
#include "core/ops/support.h"
#include "core/support/ceil_div.h"

#include <fmt/format.h>

#include <algorithm>

namespace loopglass::ops {

namespace {

constexpr std::int64_t block_length = 32;
// Counting in all of them is n * n and finding each place n * k; with blocks it is about 4 * n * k.
constexpr std::int64_t least_share = 4, least_blocks = 4;
// Places are int32, also those of what is nowhere, of which each merging has its own.
constexpr std::int64_t most_in_blocks = std::int64_t{1} << 24, nowhere = std::int64_t{1} << 30;

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

Expr whole(std::int64_t value) { return expr::integer(DataType::Int32, value); }
Expr as_whole(Expr value) { return expr::cast(DataType::Int32, std::move(value)); }

class BestInBlocks {
 public:
  BestInBlocks(ComputeContext& c, std::size_t axis)
      : c_(c),
        x_(c.input(0)),
        axis_(axis),
        count_(shape_of(c.input(0))[axis]),
        wanted_(c.attributes.integer("k")),
        largest_(c.attributes.integer("largest") != 0) {}

  Computed operator()() {
    Kept kept = of_blocks();
    for (int level = 1; kept.blocks > 1; ++level) kept = merged(kept, level);
    const std::vector<Expr> outer = te::extents(c_.outputs[0].shape);
    const auto first_block = [&](const Indices& i) { return inserted(i, axis_, Expr(0)); };
    return {c_.builder.compute(c_.name, outer,
                               [&](const Indices& i) { return kept.values(first_block(i)); }),
            c_.builder.compute("Indices", outer, [&](const Indices& i) {
              return expr::cast(DataType::Int64, kept.places(first_block(i)));
            })};
  }

 private:
  // The first elements of each block in order: values, and places along the axis, int32. Places
  // beyond the last element are those of nothing, which comes behind everything.
  struct Kept {
    te::Tensor values, places;
    std::int64_t blocks, length;
  };
  struct Element {
    Expr value, place;
  };

  // The axis in two: blocks, and places in them.
  std::vector<Expr> extents(std::int64_t blocks, std::int64_t length) const {
    std::vector<Expr> shape = x_.shape;
    shape[axis_] = blocks;
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis_) + 1, length);
    return shape;
  }
  Indices at(const Indices& i, const Expr& block, const Expr& place) const {
    return replaced(replaced(i, axis_, block), axis_ + 1, place);
  }
  const Expr& block(const Indices& i) const { return i[axis_]; }
  const Expr& place(const Indices& i) const { return i[axis_ + 1]; }

  Expr comes_before(const Element& a, const Element& b) const {
    const Expr both = precedes(a.value, b.value, a.place, b.place, largest_),
               is_a = a.place < whole(count_), is_b = b.place < whole(count_);
    return expr::select(is_a, expr::select(is_b, both, expr::boolean(true)),
                        expr::select(is_b, expr::boolean(false), a.place < b.place));
  }

  // The element of x there, of whichever block.
  Expr read(const Indices& i, const Expr& along) const {
    Indices source = i;
    source.erase(source.begin() + static_cast<std::ptrdiff_t>(axis_) + 1);
    source[axis_] = clamp_index(along, count_);
    return x_(source);
  }

  // Of blocks, of whose `of` elements `rank` and `element` tell the place in order and which it is.
  Kept in_order(const std::string& name, std::int64_t blocks, std::int64_t of,
                const std::function<Expr(const Indices& i, const Expr& r)>& rank,
                const std::function<Expr(const Indices& i, const Expr& r)>& element) {
    const std::int64_t length = std::min(of, wanted_);
    const te::Tensor places =
        c_.builder.reduce(name + "_places", extents(blocks, length), {Expr(of)}, te::Reducer::Max,
                          [&](const Indices& i, const Indices& r) {
                            return expr::select(expr::equal(rank(i, r[0]), as_whole(place(i))),
                                                element(i, r[0]), whole(-1));
                          });
    const te::Tensor values = c_.builder.compute(
        name + "_values", extents(blocks, length),
        [&](const Indices& i) { return read(i, expr::cast(DataType::Int64, places(i))); });
    return {values, places, blocks, length};
  }

  Kept of_blocks() {
    const std::int64_t blocks = ceil_div(count_, block_length);
    const auto element = [&](const Indices& i, const Expr& place) {
      const Expr along = block(i) * block_length + place;
      return Element{read(i, along), as_whole(along)};
    };
    const te::Tensor rank =
        c_.builder.reduce(c_.name + "_rank", extents(blocks, block_length), {Expr(block_length)},
                          te::Reducer::Sum, [&](const Indices& i, const Indices& r) {
                            return as_whole(comes_before(element(i, r[0]), element(i, place(i))));
                          });
    return in_order(
        c_.name, blocks, block_length,
        [&](const Indices& i, const Expr& r) { return rank(at(i, block(i), r)); },
        [&](const Indices& i, const Expr& r) { return element(i, r).place; });
  }

  Kept merged(const Kept& kept, int level) {
    const std::string name = fmt::format("{}_{}", c_.name, level);
    const std::int64_t blocks = ceil_div(kept.blocks, 2), both = 2 * kept.length;
    // Of the two blocks one after the other; of a block that is not there, nothing.
    const auto element = [&](const Indices& i, const Expr& side, const Expr& place) {
      const Expr source = block(i) * 2 + side;
      const Indices there = at(i, clamp_index(source, kept.blocks), place);
      Element found{kept.values(there), kept.places(there)};
      if (kept.blocks % 2 != 0)
        found.place = expr::select(source < kept.blocks, found.place,
                                   whole(nowhere + level * wanted_) + as_whole(place));
      return found;
    };
    const te::Tensor rank = c_.builder.reduce(
        name + "_rank", extents(blocks, both), {Expr(kept.length)}, te::Reducer::Sum,
        [&](const Indices& i, const Indices& r) {
          const Expr side = expr::floor_div(place(i), kept.length),
                     own = expr::floor_mod(place(i), kept.length);
          return as_whole(comes_before(element(i, Expr(1) - side, r[0]), element(i, side, own)));
        });
    return in_order(
        name, blocks, both,
        [&](const Indices& i, const Expr& r) {
          return rank(at(i, block(i), r)) + as_whole(expr::floor_mod(r, kept.length));
        },
        [&](const Indices& i, const Expr& r) {
          return element(i, expr::floor_div(r, kept.length), expr::floor_mod(r, kept.length)).place;
        });
  }

  ComputeContext& c_;
  const te::Tensor& x_;
  std::size_t axis_;
  std::int64_t count_, wanted_;
  bool largest_;
};

// By the places of all elements among all.
Computed best_of_all(ComputeContext& c, std::size_t axis) {
  const te::Tensor& x = c.input(0);
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
  return {values, index};
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

Result<Computed> compute_top_k(ComputeContext& c) {
  const Shape shape = shape_of(c.input(0));
  const std::size_t axis = axis_of(c.attributes, shape.size());
  const std::int64_t count = shape[axis], wanted = c.attributes.integer("k");
  const bool in_blocks = wanted > 0 && least_share * wanted <= count &&
                         count >= least_blocks * block_length && count <= most_in_blocks;
  return in_blocks ? BestInBlocks(c, axis)() : best_of_all(c, axis);
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
