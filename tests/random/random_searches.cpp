#include "tests/random/random_searches.h"

#include "core/ops/registry.h"

#include <cmath>
#include <stdexcept>

namespace loopglass::test {

namespace {

template <class Number>
void set(Tensor& tensor, std::int64_t i, Number number) {
  visit_type(tensor.data_type(), [&](auto element) {
    using T = decltype(element);
    tensor.as<T>()[static_cast<std::size_t>(i)] = static_cast<T>(number);
  });
}

class Drawing {
 public:
  explicit Drawing(std::mt19937& random) : random_(random) {}

  std::int64_t between(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution(least, most)(random_);
  }
  bool is_one_of(std::int64_t count) { return between(1, count) == 1; }
  template <class T>
  T one_of(std::initializer_list<T> choices) {
    return choices.begin()[between(0, std::ssize(choices) - 1)];
  }
  DataType type() {
    return one_of({DataType::Float32, DataType::Float32, DataType::Float64, DataType::Float16,
                   DataType::Int8, DataType::UInt8, DataType::Int32, DataType::Int64});
  }
  Shape shape(std::int64_t least_rank, std::int64_t most) {
    Shape drawn(static_cast<std::size_t>(between(least_rank, 3)));
    for (std::int64_t& extent : drawn) extent = between(1, most);
    return drawn;
  }

  graph::ValueId input(const std::string& name, Tensor value) {
    if (is_one_of(5)) return builder_.add_constant(name, std::move(value));
    inputs_.push_back(std::move(value));
    return builder_.add_input(name, inputs_.back().type());
  }
  // Few different numbers, so that many are equal.
  Tensor numbers(DataType type, const Shape& shape) {
    Tensor drawn({type, shape});
    for (std::int64_t i = 0; i < drawn.elements(); ++i) set(drawn, i, number(type));
    return drawn;
  }
  Tensor indices(const Shape& shape, const std::function<std::int64_t(std::int64_t)>& extent_at) {
    const bool is_wide = is_one_of(2);
    Tensor drawn({is_wide ? DataType::Int64 : DataType::Int32, shape});
    for (std::int64_t i = 0; i < drawn.elements(); ++i) {
      const std::int64_t extent = extent_at(i), beyond = is_one_of(20) ? between(0, 2) : 0;
      set(drawn, i, between(-extent - beyond, extent - 1 + beyond));
    }
    return drawn;
  }
  DrawnSearch network(const char* op, std::vector<graph::ValueId> operands,
                      ops::Attributes attributes, std::size_t outputs) {
    const auto node = builder_.add_node("search", *ops::find_operator(op), std::move(operands),
                                        std::move(attributes), outputs);
    if (!node) throw std::invalid_argument(to_string(node.error()));
    builder_.set_outputs(builder_.node(*node).outputs);
    return {*std::move(builder_).finish(), std::move(inputs_)};
  }

 private:
  double number(DataType type) {
    if (!is_float(type)) return static_cast<double>(between(is_signed_integer(type) ? -9 : 0, 9));
    if (is_one_of(25)) return one_of<double>({NAN, INFINITY, -INFINITY, -0.0});
    return static_cast<double>(between(-20, 20)) / 4;
  }

  std::mt19937& random_;
  graph::GraphBuilder builder_{"network"};
  std::vector<Tensor> inputs_;
};

}  // namespace

DrawnSearch draw_top_k(std::mt19937& random) {
  Drawing draw(random);
  Shape shape = draw.shape(1, 5);
  const auto axis = static_cast<std::size_t>(draw.between(0, std::ssize(shape) - 1));
  shape[axis] = draw.is_one_of(3) ? draw.between(256, 400) : draw.between(16, 100);
  const std::int64_t wanted = draw.between(1, draw.is_one_of(4) ? shape[axis] : 8);
  ops::Attributes attributes{{"k", wanted}, {"largest", draw.between(0, 1)}};
  attributes.set("axis",
                 static_cast<std::int64_t>(axis) - (draw.is_one_of(2) ? std::ssize(shape) : 0));
  const auto x = draw.input("x", draw.numbers(draw.type(), shape));
  return draw.network("TopK", {x}, std::move(attributes), 2);
}

DrawnSearch draw_scatter_elements(std::mt19937& random) {
  Drawing draw(random);
  const DataType type = draw.type();
  const Shape shape = draw.shape(1, 9);
  const auto axis = static_cast<std::size_t>(draw.between(0, std::ssize(shape) - 1));
  Shape updates = shape;
  for (std::int64_t& extent : updates) extent = draw.between(1, extent);
  updates[axis] = draw.between(16, 40);
  ops::Attributes attributes{
      {"axis", static_cast<std::int64_t>(axis)},
      {"reduction", std::string(draw.one_of({"none", "none", "add", "mul", "min", "max"}))}};
  const auto data = draw.input("data", draw.numbers(type, shape)),
             indices = draw.input("indices",
                                  draw.indices(updates, [&](std::int64_t) { return shape[axis]; })),
             values = draw.input("updates", draw.numbers(type, updates));
  return draw.network("ScatterElements", {data, indices, values}, std::move(attributes), 1);
}

DrawnSearch draw_scatter_nd(std::mt19937& random) {
  Drawing draw(random);
  const DataType type = draw.type();
  const Shape shape = draw.shape(1, 9);
  const std::int64_t tuple = draw.between(1, std::ssize(shape));
  Shape places = draw.is_one_of(2) ? Shape{draw.between(16, 40)}
                                   : Shape{draw.between(4, 6), draw.between(4, 6)};
  Shape updates = places;
  updates.insert(updates.end(), shape.begin() + tuple, shape.end());
  places.push_back(tuple);
  ops::Attributes attributes{
      {"reduction", std::string(draw.one_of({"none", "none", "add", "mul", "min", "max"}))}};
  const auto data = draw.input("data", draw.numbers(type, shape)),
             indices = draw.input("indices",
                                  draw.indices(places,
                                               [&](std::int64_t i) {
                                                 return shape[static_cast<std::size_t>(i % tuple)];
                                               })),
             values = draw.input("updates", draw.numbers(type, updates));
  return draw.network("ScatterND", {data, indices, values}, std::move(attributes), 1);
}

}  // namespace loopglass::test
