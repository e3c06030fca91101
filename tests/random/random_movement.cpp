#include "tests/random/random_movement.h"

#include "tests/random/random_builder.h"

#include <algorithm>
#include <numeric>

namespace loopglass::test {

namespace {

using Integers = std::vector<std::int64_t>;

class MovementGenerator : public RandomBuilder {
  static constexpr std::int64_t most_elements = 200;  // of a tensor

 public:
  MovementGenerator(std::uint32_t seed, DataType type, bool jumps)
      : RandomBuilder(seed, "movement", most_elements), type_(type), jumps_(jumps) {
    values_ = {builder_.add_input("a", {type, {2, 3, 4}}), builder_.add_input("b", {type, {1, 4}}),
               builder_.add_input("c", {type, {2, 1, 3, 4}}), constant({4, 3}), constant({})};
  }

  graph::Graph make(int operators) {
    grow(operators);
    return finish(results(8));
  }

 private:
  graph::ValueId value() { return RandomBuilder::value(3); }
  graph::ValueId constant(Shape shape) {
    return RandomBuilder::constant({type_, std::move(shape)}, 8);
  }

  Integers permutation(std::size_t rank) {
    Integers axes(rank);
    std::iota(axes.begin(), axes.end(), 0);
    std::shuffle(axes.begin(), axes.end(), random_);
    return axes;
  }
  // An axis of a tensor of this rank, now and then counted from the end.
  std::int64_t axis(std::size_t rank) {
    const auto extent = static_cast<std::int64_t>(rank);
    return extent == 0 ? 0 : between(one_in(4) ? -extent : 0, extent - 1);
  }
  // As many elements in other dimensions.
  Integers regrouped(const Shape& from) {
    if (one_in(4) && !from.empty()) return {0, -1};
    Integers extents;
    for (std::int64_t left = element_count(from); left > 1;) {
      std::int64_t part = between(2, left);
      while (left % part != 0) ++part;
      extents.push_back(part);
      left /= part;
    }
    if (one_in(3)) extents.insert(extents.begin() + between(0, std::ssize(extents)), 1);
    return extents;
  }

  bool add_operator(int number) override {
    const graph::ValueId x = value();
    const Shape from = shape(x);
    const std::size_t rank = from.size();
    switch (between(0, 23)) {
      case 0:
      case 1: return add(one_of({"Neg", "Abs", "Relu", "Identity"}), {x});
      case 2:
      case 3: return add(one_of({"Add", "Sub", "Mul", "Max", "PRelu"}), {x, value()});
      case 4:
        return jumps_ && add("Less", {x, values_[4]}) && add("Where", {values_.back(), value(), x});
      case 5:
      case 6: return add("Reshape", {x}, {{"shape", regrouped(from)}});
      case 7: return one_in(2) ? add("Flatten", {x}, {{"axis", axis(rank)}}) : add("Squeeze", {x});
      case 8: return add("Unsqueeze", {x}, {{"axes", Integers{one_in(2) ? 0 : axis(rank + 1)}}});
      case 9:
      case 10:
      case 11: return transpose(x);
      case 12: return expand(from, x);
      case 13:
      case 14: return slice(x);
      case 15:
        return add("Concat", one_in(2) ? std::vector{x, value()} : std::vector{x, x, value()},
                   {{"axis", axis(rank)}});
      case 16: return pieces(x);
      case 17: return pad(x, number % 3 == 0 ? "reflect" : "constant");
      case 18: return tile(x);
      case 19: return gather(x);
      case 20:
      case 21: return reduce(x);
      case 22: return along_axis(x);
      default: return add("MatMul", one_in(2) ? std::vector{x, value()} : std::vector{value(), x});
    }
  }

  // Often two alike, which may fall below what joins them.
  bool transpose(graph::ValueId x) {
    const Integers perm = permutation(shape(x).size());
    const bool made = add("Transpose", {x}, {{"perm", perm}});
    if (!made || !one_in(2)) return made;
    const graph::ValueId first = values_.back();
    add("Abs", {x});
    add("Transpose", {values_.back()}, {{"perm", perm}});
    return one_in(2) ? add("Sub", {first, values_.back()})
                     : add("Concat", {first, values_.back()}, {{"axis", axis(perm.size())}});
  }

  bool expand(Shape shape, graph::ValueId x) {
    for (std::int64_t& extent : shape)
      if (extent == 1 && one_in(2)) extent = between(1, 3);
    if (one_in(3)) shape.insert(shape.begin(), between(1, 3));
    return add("Expand", {x}, {{"shape", shape}});
  }

  bool slice(graph::ValueId x) {
    Integers starts, ends, steps;
    for (const std::int64_t extent : shape(x)) {
      const bool backwards = one_in(5), whole = one_in(2);
      const std::int64_t low = whole ? 0 : between(0, extent),
                         high = whole ? extent : between(low, extent + 1);
      starts.push_back(backwards ? high - 1 : low);
      ends.push_back(backwards ? low - 1 - extent : high);
      steps.push_back((one_in(4) ? 2 : 1) * (backwards ? -1 : 1));
    }
    return add("Slice", {x}, {{"starts", starts}, {"ends", ends}, {"steps", steps}});
  }

  // Two parts, by Split or by two slices, which may be joined again.
  bool pieces(graph::ValueId x) {
    if (shape(x).empty()) return false;
    const std::int64_t along = between(0, std::ssize(shape(x)) - 1),
                       extent = shape(x)[static_cast<std::size_t>(along)],
                       middle = between(0, extent);
    if (one_in(2)) {
      if (!add("Split", {x}, {{"axis", along}, {"split", Integers{middle, extent - middle}}}, 2))
        return false;
    } else {
      add("Slice", {x},
          {{"starts", Integers{0}}, {"ends", Integers{middle}}, {"axes", Integers{along}}});
      add("Slice", {x},
          {{"starts", Integers{middle}}, {"ends", Integers{extent}}, {"axes", Integers{along}}});
    }
    const graph::ValueId first = values_[values_.size() - 2], second = values_.back();
    return one_in(4) || add("Concat", {first, second}, {{"axis", along}});
  }

  bool pad(graph::ValueId x, const std::string& mode) {
    Integers pads;
    for (std::size_t k = 0; k < 2 * shape(x).size(); ++k)
      pads.push_back(between(one_in(4) ? -1 : 0, one_in(2) ? 1 : 0));
    return add("Pad", {x}, {{"pads", pads}, {"mode", mode}});
  }

  bool tile(graph::ValueId x) {
    Integers repeats;
    for (const std::int64_t extent : shape(x))
      repeats.push_back(extent == 1 || one_in(4) ? between(1, 2) : 1);
    return add("Tile", {x}, {{"repeats", repeats}});
  }

  bool gather(graph::ValueId x) {
    if (element_count(shape(x)) == 0) return false;
    const std::int64_t along = axis(shape(x).size()),
                       extent = shape(x).empty()
                                    ? 1
                                    : shape(x)[static_cast<std::size_t>(
                                          (along + std::ssize(shape(x))) % std::ssize(shape(x)))];
    const std::int64_t first = between(-extent, extent - 1);
    Integers indices{first};
    for (std::int64_t index = first + 1; index < extent && one_in(2); ++index)
      indices.push_back(index);
    const Shape picked = indices.size() == 1 && one_in(2) ? Shape{} : Shape{std::ssize(indices)};
    return add("Gather", {x, builder_.add_constant("i", Tensor::of<std::int64_t>(picked, indices))},
               {{"axis", along}});
  }

  bool reduce(graph::ValueId x) {
    Integers axes;
    for (std::int64_t d = 0; d < std::ssize(shape(x)); ++d)
      if (one_in(2)) axes.push_back(d);
    ops::Attributes attributes{{"keepdims", between(0, 1)}};
    if (!axes.empty()) attributes.set("axes", axes);
    return add(one_of({"ReduceMax", "ReduceMin", "ReduceSum", "ReduceMean", "ReduceL1"}), {x},
               attributes);
  }

  bool along_axis(graph::ValueId x) {
    const std::string op =
        one_of({"ArgMax", "CumSum", "Softmax", "LogSoftmax", "GlobalMaxPool", "MaxPool"});
    if (op == "ArgMax" && !jumps_) return false;
    if (op == "GlobalMaxPool") return add(op, {x});
    if (op == "MaxPool")
      return add(op, {x},
                 {{"kernel_shape", Integers(std::max<std::size_t>(shape(x).size(), 2) - 2, 1)}});
    return add(op, {x}, {{"axis", axis(shape(x).size())}});
  }

  DataType type_;
  bool jumps_;
};

}  // namespace

graph::Graph random_movement(std::uint32_t seed, int operators, DataType type, bool jumps) {
  return MovementGenerator(seed, type, jumps).make(operators);
}

}  // namespace loopglass::test
