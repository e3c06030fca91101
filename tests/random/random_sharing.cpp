#include "tests/random/random_sharing.h"

#include "tests/random/random_builder.h"

#include <algorithm>

namespace loopglass::test {

namespace {

using Integers = std::vector<std::int64_t>;

class SharingGenerator : public RandomBuilder {
  static constexpr std::int64_t most_elements = 4096;  // of a tensor

 public:
  explicit SharingGenerator(std::uint32_t seed)
      : RandomBuilder(seed, "sharing", most_elements),
        type_(one_in(3) ? one_of_types() : DataType::Float32) {
    for (const char* name : {"a", "b"})
      values_.push_back(builder_.add_input(name, {type_, first_shape()}));
    values_.push_back(constant({type_, first_shape()}, 9));
  }

  graph::Graph make(int operators) {
    grow(operators);
    std::vector<graph::ValueId> outputs = results(10);
    if (one_in(4)) outputs.push_back(values_.front());  // an input, passed through
    return finish(std::move(outputs));
  }

 private:
  graph::ValueId value() { return RandomBuilder::value(2); }

  DataType one_of_types() {
    constexpr DataType types[] = {DataType::Float64, DataType::Float16, DataType::Int64,
                                  DataType::UInt8};
    return types[between(0, std::ssize(types) - 1)];
  }
  // A row is 64 bytes long, or half of that.
  Shape first_shape() {
    const auto row = 64 / static_cast<std::int64_t>(byte_size(type_));
    return {one_in(3) ? 2 : 1, between(1, 3), between(1, 3), one_in(4) ? row / 2 : row};
  }

  // Values that fit beside x along an axis.
  std::vector<graph::ValueId> neighbours(graph::ValueId x, std::size_t axis) {
    std::vector<graph::ValueId> found;
    for (const graph::ValueId other : values_) {
      Shape as_x = shape(other);
      if (as_x.size() != shape(x).size()) continue;
      as_x[axis] = shape(x)[axis];
      if (as_x == shape(x)) found.push_back(other);
    }
    return found;
  }

  bool concat(graph::ValueId x) {
    if (shape(x).empty()) return false;
    const auto axis = static_cast<std::size_t>(between(0, std::ssize(shape(x)) - 1));
    const auto fitting = neighbours(x, axis);
    std::vector<graph::ValueId> operands{x};
    while (operands.size() < 2 || one_in(2))
      operands.insert(operands.begin() + between(0, std::ssize(operands)),
                      fitting[static_cast<std::size_t>(between(0, std::ssize(fitting) - 1))]);
    return add("Concat", std::move(operands), {{"axis", static_cast<std::int64_t>(axis)}});
  }

  bool split(graph::ValueId x) {
    if (shape(x).empty()) return false;
    const std::int64_t axis = between(0, std::ssize(shape(x)) - 1);
    const std::int64_t extent = shape(x)[static_cast<std::size_t>(axis)];
    const std::int64_t middle = extent % 16 == 0 && !one_in(3) ? extent / 2 : between(0, extent);
    return add("Split", {x}, {{"axis", axis}, {"split", Integers{middle, extent - middle}}}, 2);
  }

  bool slice(graph::ValueId x) {
    if (shape(x).empty()) return false;
    const std::int64_t axis = between(0, std::ssize(shape(x)) - 1);
    const std::int64_t extent = shape(x)[static_cast<std::size_t>(axis)];
    const std::int64_t low = one_in(2) ? 0 : between(0, extent);
    return add("Slice", {x},
               {{"starts", Integers{low}},
                {"ends", Integers{one_in(2) ? extent : between(low, extent)}},
                {"axes", Integers{axis}},
                {"steps", Integers{one_in(5) ? 2 : 1}}});
  }

  bool reshape(graph::ValueId x) {
    const Shape& from = shape(x);
    const std::int64_t elements = element_count(from);
    if (elements == 0) return false;
    Integers extents;
    std::int64_t left = elements;
    while (left > 1 && extents.size() < 3 && !one_in(4)) {
      std::int64_t part = between(1, std::min<std::int64_t>(left, 6));
      while (left % part != 0) --part;
      extents.push_back(part);
      left /= part;
    }
    extents.push_back(left);
    return add("Reshape", {x}, {{"shape", extents}});
  }

  bool add_operator(int) override {
    const graph::ValueId x = value();
    switch (between(0, 15)) {
      case 0:
      case 1:
      case 2: return add(one_of({"Neg", "Abs", "Relu"}), {x});
      case 3:
      case 4: return add(one_of({"Add", "Sub", "Max"}), {x, value()});
      case 5:
      case 6:
      case 7:
      case 8: return concat(x);
      case 9:
      case 10: return split(x);
      case 11: return slice(x);
      case 12:
      case 13: return reshape(x);
      case 14:
        return one_in(2) ? add("Identity", {x}) : add("Unsqueeze", {x}, {{"axes", Integers{0}}});
      default:
        return one_in(2) ? add("ReduceMax", {x}, {{"axes", Integers{-1}}})
                         : add("Flatten", {x}, {{"axis", between(0, std::ssize(shape(x)))}});
    }
  }

  DataType type_;
};

}  // namespace

graph::Graph random_sharing(std::uint32_t seed, int operators) {
  return SharingGenerator(seed).make(operators);
}

}  // namespace loopglass::test
