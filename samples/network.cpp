#include "samples/network.h"

#include "core/ops/registry.h"
#include "core/support/check.h"

#include <cmath>
#include <fmt/format.h>

namespace loopglass::samples {

namespace {

// SplitMix64 (Steele, Lea, Flood, 2014): a counter and a finaliser, fast enough for the 138 million
// weights of VGG-16.
std::uint64_t next_random(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

std::vector<std::int64_t> pair(std::int64_t value) { return {value, value}; }

}  // namespace

Network::Network(std::string name, std::uint64_t seed) : builder_(std::move(name)), state_(seed) {}

Network::Value Network::input(std::string name, Shape shape) {
  return builder_.add_input(std::move(name), {DataType::Float32, std::move(shape)});
}

Network::Value Network::parameter(const std::string& name, Shape shape, double limit, double centre) {
  Tensor tensor(TensorType{DataType::Float32, std::move(shape)});
  const auto elements = tensor.as<float>();
  const float scale = static_cast<float>(2 * limit / 4294967296.0), low = static_cast<float>(centre - limit);
  // Two elements from each 64-bit number.
  for (std::size_t i = 0; i < elements.size(); i += 2) {
    const std::uint64_t bits = next_random(state_);
    elements[i] = low + scale * static_cast<float>(static_cast<std::uint32_t>(bits));
    if (i + 1 < elements.size()) elements[i + 1] = low + scale * static_cast<float>(bits >> 32);
  }
  return builder_.add_constant(name, std::move(tensor));
}

Network::Value Network::scalar(const std::string& name, float value) {
  return builder_.add_constant(name, Tensor::of<float>({}, {value}));
}

Network::Value Network::add(const std::string& op, std::vector<Value> inputs, ops::Attributes attributes,
                            std::string name) {
  const ops::OpDef* definition = ops::find_operator(op);
  CHECK(definition != nullptr, op);
  if (name.empty()) name = op;
  const auto node = builder_.add_node(name, *definition, std::move(inputs), std::move(attributes));
  CHECK(node.has_value(), node ? "" : to_string(node.error()));
  return builder_.output(*node);
}

Network::Value Network::convolution(Value x, const Convolution& layer, const std::string& name) {
  const std::int64_t inputs = shape(x)[1] / layer.groups;
  const double fan_in = static_cast<double>(inputs * layer.kernel * layer.kernel);
  std::vector<Value> operands{
      x, parameter(name + ".weight", {layer.channels, inputs, layer.kernel, layer.kernel}, std::sqrt(6 / fan_in))};
  if (layer.bias) operands.push_back(parameter(name + ".bias", {layer.channels}, 0.05));
  const std::int64_t pad = layer.kernel / 2;
  return add("Conv", std::move(operands),
             {{"kernel_shape", pair(layer.kernel)}, {"strides", pair(layer.stride)}, {"group", layer.groups},
              {"pads", std::vector<std::int64_t>{pad, pad, pad, pad}}},
             name);
}

Network::Value Network::batch_normalisation(Value x, const std::string& name, double gain) {
  const Shape channels{shape(x)[1]};
  const Value scale = parameter(name + ".scale", channels, 0.1 * gain, gain);
  const Value shift = parameter(name + ".shift", channels, 0.1);
  const Value mean = parameter(name + ".mean", channels, 0.1);
  const Value variance = parameter(name + ".variance", channels, 0.2, 1);
  return add("BatchNormalization", {x, scale, shift, mean, variance}, {}, name);
}

Network::Value Network::dense(Value x, std::int64_t features, const std::string& name) {
  const std::int64_t inputs = shape(x)[1];
  const Value weight = parameter(name + ".weight", {features, inputs}, std::sqrt(3.0 / static_cast<double>(inputs)));
  const Value bias = parameter(name + ".bias", {features}, 0.05);
  return add("Gemm", {x, weight, bias}, {{"transB", std::int64_t{1}}}, name);
}

Network::Value Network::max_pool(Value x, std::int64_t kernel, std::int64_t stride, std::int64_t pad) {
  return add("MaxPool", {x},
             {{"kernel_shape", pair(kernel)}, {"strides", pair(stride)},
              {"pads", std::vector<std::int64_t>{pad, pad, pad, pad}}});
}

graph::Graph Network::finish(std::vector<Value> outputs) && {
  builder_.set_outputs(std::move(outputs));
  auto graph = std::move(builder_).finish();
  CHECK(graph.has_value(), graph ? "" : to_string(graph.error()));
  return *std::move(graph);
}

}  // namespace loopglass::samples
