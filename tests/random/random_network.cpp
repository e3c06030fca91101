#include "tests/random/random_network.h"

#include "core/ops/registry.h"
#include "tests/random/random_layers.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <stdexcept>

namespace loopglass::test {

namespace {

using graph::ValueId;
using Integers = std::vector<std::int64_t>;

constexpr std::int64_t largest = 400;  // elements of a tensor

class NetworkGenerator {
 public:
  NetworkGenerator(std::uint32_t seed, const RandomNetwork& options)
      : random_(seed), options_(options), builder_("random") {
    add(builder_.add_input("image", {options.type, {1, 4, 5, 5}}));
    add(builder_.add_input("matrix", {options.type, {4, 6}}));
    add(builder_.add_input("row", {options.type, {1, 6}}));
    if (chance(3)) add(builder_.add_input("number", {options.type, {}}));
    if (chance(2))
      add(builder_.add_input("bytes",
                             {chance(2) ? DataType::UInt8 : DataType::Int8, {1, 4, 5, 5}}));
  }

  graph::Graph operator()() {
    for (int tries = 0; made_ < options_.operators && tries < 20 * options_.operators; ++tries)
      step();
    std::vector<ValueId> outputs;
    for (const ValueId value : values_)
      if (builder_.value(value).producer && (!builder_.is_used(value) ? !chance(6) : chance(12)))
        outputs.push_back(value);
    for (auto value = values_.rbegin(); outputs.empty(); ++value)
      if (builder_.value(*value).producer) outputs.push_back(*value);
    builder_.set_outputs(outputs);
    auto graph = std::move(builder_).finish();
    if (!graph) throw std::logic_error(to_string(graph.error()));
    return *std::move(graph);
  }

 private:
  std::int64_t below(std::int64_t count) {
    return std::uniform_int_distribution<std::int64_t>(0, count - 1)(random_);
  }
  bool chance(int in) { return below(in) == 0; }
  template <class T>
  const T& one_of(const std::vector<T>& choices) {
    return choices[static_cast<std::size_t>(below(static_cast<std::int64_t>(choices.size())))];
  }
  const TensorType& type(ValueId value) const { return builder_.value(value).type; }
  const Shape& shape(ValueId value) const { return type(value).shape; }
  std::size_t rank(ValueId value) const { return shape(value).size(); }

  ValueId add(ValueId value) {
    values_.push_back(value);
    return value;
  }

  // A value of the network's type; recent ones are likelier, so that chains form.
  ValueId value() {
    for (;;) {
      const auto count = static_cast<std::int64_t>(values_.size());
      const ValueId chosen =
          values_[static_cast<std::size_t>(count - 1 - std::min(below(count), below(count)))];
      if (type(chosen).type == options_.type) return chosen;
    }
  }
  std::optional<ValueId> value_of_rank(std::size_t wanted) {
    for (int i = 0; i < 8; ++i)
      if (const ValueId chosen = value(); rank(chosen) == wanted) return chosen;
    return std::nullopt;
  }

  ValueId constant(const Shape& of, double low = -1, double high = 1) {
    Tensor data({options_.type, of});
    for (std::int64_t i = 0; i < data.elements(); ++i)
      put(data, i, std::uniform_real_distribution<double>(low, high)(random_));
    return builder_.add_constant("c", std::move(data));
  }
  ValueId uniform(const Shape& of, double number) {
    Tensor data({options_.type, of});
    for (std::int64_t i = 0; i < data.elements(); ++i) put(data, i, number);
    return builder_.add_constant("u", std::move(data));
  }
  static void put(Tensor& data, std::int64_t at, double number) {
    const auto index = static_cast<std::size_t>(at);
    if (data.data_type() == DataType::Float64) data.as<double>()[index] = number;
    else data.as<float>()[index] = static_cast<float>(number);
  }
  ValueId integers(const Integers& numbers) {
    Tensor data({DataType::Int64, {static_cast<std::int64_t>(numbers.size())}});
    std::copy(numbers.begin(), numbers.end(), data.as<std::int64_t>().begin());
    return builder_.add_constant("i", std::move(data));
  }

  // The first result, or nothing where the operator refuses or the result is too large.
  std::optional<ValueId> apply(const std::string& op, std::vector<ValueId> inputs,
                               ops::Attributes attributes = {}, std::size_t outputs = 1) {
    const auto node = builder_.add_node("n" + std::to_string(made_), *ops::find_operator(op),
                                        std::move(inputs), std::move(attributes), outputs);
    if (!node) return std::nullopt;
    for (std::size_t i = 0; i < outputs; ++i)
      if (const auto elements = element_count(shape(builder_.output(*node, i)));
          elements > largest || elements == 0) {
        builder_.remove_node(*node);
        return std::nullopt;
      }
    for (std::size_t i = 0; i < outputs; ++i) add(builder_.output(*node, i));
    ++made_;
    return builder_.output(*node);
  }

  // One to all extents kept, the others 1; or fewer dimensions.
  Shape broadcastable_to(Shape shape) {
    for (std::int64_t& extent : shape)
      if (chance(2)) extent = 1;
    if (chance(3))
      shape.erase(shape.begin(),
                  shape.begin() + below(static_cast<std::int64_t>(shape.size()) + 1));
    return shape;
  }

  void step() {
    if (chance(7)) return layer();
    switch (below(options_.jumps ? 22 : 20)) {
      case 0:
      case 1: unary(); break;
      case 2:
      case 3: binary(); break;
      case 4:
      case 5: with_constant(); break;
      case 6: twice(); break;
      case 7: reshape(); break;
      case 8: transpose(); break;
      case 9: slice(); break;
      case 10: join(); break;
      case 11: pad_or_tile(); break;
      case 12:
      case 13: reduce(); break;
      case 14:
      case 15: convolution(); break;
      case 16: pooling(); break;
      case 17: product(); break;
      case 18: twin(); break;
      case 19: shape_as_data(); break;
      case 20: comparison(); break;
      case 21: jump(); break;
    }
  }

  void layer() {
    switch (below(6)) {
      case 0: recurrent(); break;
      case 1: sample(); break;
      case 2: resize(); break;
      default: quantised(); break;
    }
  }

  std::optional<ValueId> apply(const Layer& layer, const std::vector<ValueId>& data) {
    std::vector<ValueId> inputs;
    auto next = data.begin();
    for (const std::optional<Tensor>& input : layer.inputs)
      inputs.push_back(!input             ? *next++
                       : input->defined() ? builder_.add_constant("c", *input)
                                          : ValueId());
    while (!inputs.back()) inputs.pop_back();
    return apply(layer.op, inputs, layer.attributes, layer.outputs);
  }
  std::optional<ValueId> as(DataType wanted, std::optional<ValueId> value) {
    return !value || type(*value).type == wanted
               ? value
               : apply("Cast", {*value}, {{"to", std::string(name(wanted))}});
  }

  // Of a few steps: each becomes loops of its own.
  void recurrent() {
    const ValueId data = value();
    const std::int64_t elements = element_count(shape(data)), steps = 1 + below(4),
                       batch = 1 + below(3);
    if (elements % (steps * batch) != 0 || elements / (steps * batch) > 50) return;
    const auto sequence =
        apply("Reshape", {data}, {{"shape", Integers{steps, batch, elements / (steps * batch)}}});
    if (sequence) apply(random_recurrent(random_, type(*sequence), options_.jumps), {*sequence});
  }

  void resize() {
    if (const auto image = value_of_rank(4)) apply(random_resize(random_, type(*image)), {*image});
  }

  // An image, now and then one of three spatial axes, by a grid of its own or one that is computed.
  void sample() {
    auto image = value_of_rank(4);
    if (image && chance(3))
      image = apply("Unsqueeze", {*image}, {{"axes", Integers{2 + below(3)}}});
    if (!image) return;
    const ValueId data = value();
    const auto axes = static_cast<std::int64_t>(rank(*image)) - 2;
    const std::int64_t images = shape(*image)[0],
                       points = element_count(shape(data)) / images / axes;
    const bool own_grid =
        chance(2) || points == 0 || element_count(shape(data)) != points * images * axes;
    if (own_grid) {
      apply(random_grid_sample(random_, type(*image), true, options_.jumps), {*image});
      return;
    }
    Integers extents(rank(*image), 1);
    extents.front() = images, extents[1] = points, extents.back() = axes;
    const auto near = apply("Tanh", {data});
    const auto grid = near ? apply("Reshape", {*near}, {{"shape", extents}}) : std::nullopt;
    if (grid)
      apply(random_grid_sample(random_, type(*image), false, options_.jumps), {*image, *grid});
  }

  // 8-bit values that there are, or that are made; rounding jumps.
  std::optional<ValueId> bytes() {
    std::vector<ValueId> found;
    for (const ValueId value : values_)
      if (type(value).type == DataType::UInt8 || type(value).type == DataType::Int8)
        found.push_back(value);
    if (!found.empty() && !(options_.jumps && chance(2))) return one_of(found);
    const auto single = options_.jumps ? as(DataType::Float32, value()) : std::nullopt;
    return single ? apply(random_quantisation(random_, type(*single)), {*single}) : std::nullopt;
  }

  void quantised() {
    const auto data = bytes();
    if (!data) return;
    auto result = data;
    if (!chance(4) && rank(*data) >= 2)
      result = apply(random_quantised(random_, type(*data)), {*data});
    if (!result || (type(*result).type != DataType::Int32 && chance(4))) return;
    as(options_.type, apply(random_dequantisation(random_, type(*result)), {*result}));
  }

  void unary() {
    static const std::vector<std::string> plain{"Relu",     "Sigmoid",   "Tanh",     "Neg", "Abs",
                                                "Identity", "LeakyRelu", "Softplus", "Erf"};
    static const std::vector<std::string> of_bounded{"Exp", "Cos", "Softmax"};
    if (!chance(4)) {
      apply(one_of(plain), {value()});
    } else if (const auto bounded = apply("Tanh", {value()})) {
      if (const auto exponential = apply(one_of(of_bounded), {*bounded}); exponential && chance(2))
        apply(one_of(std::vector<std::string>{"Reciprocal", "Sqrt", "Abs"}), {*exponential});
    }
  }

  void binary() {
    static const std::vector<std::string> ops{"Add", "Add", "Sub", "Mul", "Max", "Min"};
    for (int tries = 0; tries < 4; ++tries)
      if (const auto made = apply(one_of(ops), {value(), value()})) {
        if (chance(3)) apply("Tanh", {*made});
        return;
      }
  }

  // The constants that algebra knows something about, on either side.
  void with_constant() {
    static const std::vector<std::string> ops{"Add", "Sub", "Mul", "Mul", "Div",
                                              "Max", "Min", "Pow", "Clip"};
    static const std::vector<double> numbers{0, 0, 1, 1, -1, 2, 0.5, 3, 6};
    const ValueId data = value();
    const std::string op = one_of(ops);
    if (op == "Clip") {
      const double low = std::uniform_real_distribution<double>(-1, 0.5)(random_);
      apply(op, {data, chance(3) ? ValueId() : uniform({}, low), uniform({}, low + 1)});
      return;
    }
    if (op == "Pow") {
      apply(op, {data, uniform({}, one_of(std::vector<double>{0, 1, 2, 3}))});
      return;
    }
    const Shape wanted = chance(2) ? Shape{} : broadcastable_to(shape(data));
    const double number = one_of(numbers);
    if (op == "Div") {
      apply(op, {data, number == 0 ? constant(wanted, 1, 2) : uniform(wanted, number)});
      return;
    }
    const ValueId other = chance(3) ? constant(wanted) : uniform(wanted, number);
    apply(op, chance(3) ? std::vector<ValueId>{other, data} : std::vector<ValueId>{data, other});
  }

  void twice() {
    static const std::vector<std::string> ops{"Neg",      "Relu",      "Abs",
                                              "Identity", "Transpose", "Sigmoid"};
    const std::string op = one_of(ops);
    if (const auto once = apply(op, {value()})) apply(op, {*once});
  }

  void reshape() {
    const ValueId data = value();
    const std::int64_t elements = element_count(shape(data));
    switch (below(5)) {
      case 0: {
        Integers wanted;
        for (std::int64_t rest = elements; rest > 1 && wanted.size() < 4;) {
          std::int64_t factor = wanted.size() == 3 ? rest : 1 + below(rest);
          while (rest % factor != 0) ++factor;
          wanted.push_back(factor);
          rest /= factor;
        }
        apply("Reshape", {data}, {{"shape", wanted}});
        break;
      }
      case 1:
        apply("Flatten", {data}, {{"axis", below(static_cast<std::int64_t>(rank(data)) + 1)}});
        break;
      case 2:
        apply("Unsqueeze", {data},
              {{"axes", Integers{below(static_cast<std::int64_t>(rank(data)) + 1)}}});
        break;
      case 3: apply("Squeeze", {data}); break;
      case 4: {
        Integers wanted(shape(data).begin(), shape(data).end());
        for (std::int64_t& extent : wanted)
          if (extent == 1) extent = 1 + below(3);
        apply("Expand", {data}, {{"shape", wanted}});
        break;
      }
    }
  }

  void transpose() {
    const ValueId data = value();
    Integers order(rank(data));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random_);
    apply("Transpose", {data}, {{"perm", order}});
  }

  void slice() {
    const ValueId data = value();
    if (rank(data) == 0) return;
    const std::int64_t axis = below(static_cast<std::int64_t>(rank(data)));
    const std::int64_t extent = shape(data)[static_cast<std::size_t>(axis)];
    switch (below(4)) {
      case 0:
        if (extent % 2 == 0)
          apply("Split", {data}, {{"axis", axis}, {"num_outputs", std::int64_t{2}}}, 2);
        break;
      case 1: apply("Gather", {data, integers({below(extent)})}, {{"axis", axis}}); break;
      default: {
        const std::int64_t start = below(extent);
        Integers steps{1 + below(2)};
        apply("Slice", {data},
              {{"starts", Integers{chance(3) ? 0 : start}},
               {"ends", Integers{chance(3) ? extent : start + 1 + below(extent)}},
               {"axes", Integers{axis}},
               {"steps", steps}});
      }
    }
  }

  void join() {
    const ValueId first = value();
    if (rank(first) == 0) return;
    std::vector<ValueId> parts{first};
    for (int tries = 0; tries < 5 && parts.size() < 3; ++tries)
      if (const ValueId other = value(); shape(other) == shape(first)) parts.push_back(other);
    if (chance(4)) parts.push_back(constant(shape(first)));
    apply("Concat", parts, {{"axis", below(static_cast<std::int64_t>(rank(first)))}});
  }

  void pad_or_tile() {
    const ValueId data = value();
    if (rank(data) == 0) return;
    Integers pads(2 * rank(data), 0), repeats(rank(data), 1);
    if (chance(4)) {
      repeats[static_cast<std::size_t>(below(static_cast<std::int64_t>(rank(data))))] =
          1 + below(2);
      apply("Tile", {data}, {{"repeats", repeats}});
      return;
    }
    // Spatial axes of images, so that a convolution can take the padding over.
    for (std::size_t i = rank(data) == 4 ? 2 : 0; i < rank(data); ++i)
      pads[i] = below(2), pads[rank(data) + i] = below(2);
    const auto padded = apply("Pad", {data}, {{"pads", pads}, {"value", chance(3) ? 1.0 : 0.0}});
    if (padded && rank(*padded) == 4) filter(*padded);
  }

  void reduce() {
    static const std::vector<std::string> ops{"ReduceSum", "ReduceMean",      "ReduceMax",
                                              "ReduceMin", "ReduceSumSquare", "ReduceL1"};
    const ValueId data = value();
    if (rank(data) == 0) return;
    Integers axes;
    for (std::size_t i = 0; i < rank(data); ++i)
      if (chance(2)) axes.push_back(static_cast<std::int64_t>(i));
    if (axes.empty()) axes.push_back(0);
    apply(one_of(ops), {data}, {{"axes", axes}, {"keepdims", below(2)}});
  }

  std::optional<ValueId> filter(ValueId image) {
    const std::int64_t channels = shape(image)[1], group = chance(3) ? channels : 1;
    const std::int64_t filters = group == 1 ? 1 + below(4) : channels, kernel = chance(2) ? 1 : 3,
                       pad = chance(2) ? kernel / 2 : 0;
    std::vector<ValueId> inputs{image, constant({filters, channels / group, kernel, kernel})};
    if (chance(2)) inputs.push_back(constant({filters}));
    return apply("Conv", inputs,
                 {{"group", group},
                  {"pads", Integers{pad, pad, pad, pad}},
                  {"strides", Integers(2, chance(4) ? 2 : 1)}});
  }

  void convolution() {
    const auto image = value_of_rank(4);
    if (!image) return;
    const auto made = filter(*image);
    if (made && chance(4)) filter(*image);
    if (!made) return;
    const std::int64_t channels = shape(*made)[1];
    switch (below(5)) {
      case 0:
      case 1:
        apply("BatchNormalization", {*made, constant({channels}, 0.5, 1.5), constant({channels}),
                                     constant({channels}), constant({channels}, 0.5, 1.5)});
        break;
      case 2: apply(chance(2) ? "Mul" : "Add", {*made, constant({channels, 1, 1})}); break;
      case 3: apply("Relu", {*made}); break;
      default: break;
    }
  }

  void pooling() {
    const auto image = value_of_rank(4);
    if (!image) return;
    if (chance(3)) {
      apply(chance(2) ? "GlobalAveragePool" : "GlobalMaxPool", {*image});
      return;
    }
    const std::int64_t kernel = 1 + below(3), pad = kernel == 3 ? below(2) : 0;
    apply(chance(2) ? "MaxPool" : "AveragePool", {*image},
          {{"kernel_shape", Integers{kernel, kernel}},
           {"pads", Integers(4, pad)},
           {"strides", Integers(2, 1 + below(2))}});
  }

  void product() {
    const ValueId left = value();
    if (rank(left) < 2) return;
    const std::int64_t depth = shape(left).back();
    if (chance(3)) {
      for (int tries = 0; tries < 4; ++tries)
        if (apply("MatMul", {left, value()})) return;
    }
    if (rank(left) == 2 && chance(2)) {
      apply("Gemm", {left, constant({4, depth}), constant({4})}, {{"transB", std::int64_t{1}}});
      return;
    }
    // Siblings on the same input, as in attention.
    for (std::int64_t i = 0; i < 1 + below(3); ++i)
      if (const auto made = apply("MatMul", {left, constant({depth, 4})}); made && chance(2))
        apply("Add", {*made, constant({4})});
  }

  void twin() {
    const graph::Value& chosen = builder_.value(value());
    if (!chosen.producer) return;
    const graph::Node node = builder_.node(chosen.producer);
    std::vector<ValueId> inputs = node.inputs;
    if (node.op->commutative && chance(2)) std::reverse(inputs.begin(), inputs.end());
    apply(node.op->name, inputs, node.attributes, node.outputs.size());
  }

  void shape_as_data() {
    const ValueId data = value();
    if (rank(data) == 0) return;
    const auto extents = apply("Shape", {data});
    const auto extent =
        extents
            ? apply("Gather", {*extents, integers({below(static_cast<std::int64_t>(rank(data)))})})
            : std::nullopt;
    const auto number = extent
                            ? apply("Cast", {*extent}, {{"to", std::string(name(options_.type))}})
                            : std::nullopt;
    if (number) apply(chance(2) ? "Mul" : "Div", {data, *number});
  }

  void comparison() {
    static const std::vector<std::string> ops{"Less", "Greater", "LessOrEqual", "GreaterOrEqual",
                                              "Equal"};
    const ValueId data = value();
    auto condition = apply(one_of(ops), {data, chance(3) ? data : uniform({}, 0.25)});
    if (condition && chance(2)) condition = apply("Not", {*condition});
    if (condition && chance(3)) condition = apply("And", {*condition, *condition});
    if (condition) apply("Where", {*condition, data, chance(4) ? data : constant({})});
  }

  void jump() {
    static const std::vector<std::string> ops{"Floor", "Ceil", "Round", "Sign"};
    const ValueId data = value();
    const auto once = apply(one_of(ops), {data});
    if (once && chance(2)) apply(one_of(ops), {*once});
  }

  std::mt19937 random_;
  const RandomNetwork options_;
  graph::GraphBuilder builder_;
  std::vector<ValueId> values_;
  int made_ = 0;
};

}  // namespace

graph::Graph random_network(std::uint32_t seed, const RandomNetwork& options) {
  return NetworkGenerator(seed, options)();
}

}  // namespace loopglass::test
