// One encoder block of BERT-base (Devlin, Chang, Lee and Toutanova: "BERT: Pre-training of Deep
// Bidirectional Transformers for Language Understanding", 2018), with attention, layer
// normalisation and GELU in the small operators that exporters write. 7,087,872 parameters.
#include "samples/architectures.h"
#include "samples/network.h"

#include <cmath>

namespace loopglass::samples {

namespace {

constexpr std::int64_t tokens = 128, hidden = 768, heads = 12, head_size = hidden / heads,
                       feed_forward = 3072;

// Linear layers as MatMul and Add, weights already transposed.
ValueId linear(Network& net, const std::string& name, ValueId x, std::int64_t from,
               std::int64_t to) {
  const float spread = std::sqrt(3.0f / static_cast<float>(from));
  const ValueId product =
      net.apply(name + ".matmul", "MatMul", {x, net.weights(name + ".weight", {from, to}, spread)});
  return net.apply(name + ".add", "Add", {product, net.weights(name + ".bias", {to}, 0.05f)});
}

// tokens x hidden split by heads, its dimensions in the order asked for.
ValueId by_heads(Network& net, const std::string& name, ValueId x, Integers order) {
  x = net.apply(name + ".reshape", "Reshape", {x},
                {{"shape", Integers{1, tokens, heads, head_size}}});
  return net.apply(name + ".transpose", "Transpose", {x}, {{"perm", std::move(order)}});
}

ValueId attention(Network& net, const std::string& name, ValueId x) {
  const ValueId query =
      by_heads(net, name + ".query", linear(net, name + ".query", x, hidden, hidden), {0, 2, 1, 3});
  const ValueId key =
      by_heads(net, name + ".key", linear(net, name + ".key", x, hidden, hidden), {0, 2, 3, 1});
  const ValueId value =
      by_heads(net, name + ".value", linear(net, name + ".value", x, hidden, hidden), {0, 2, 1, 3});
  ValueId scores = net.apply(name + ".scores", "MatMul", {query, key});
  scores = net.apply(
      name + ".scale", "Div",
      {scores, net.scalar(name + ".sqrt_size", std::sqrt(static_cast<float>(head_size)))});
  const ValueId weights =
      net.apply(name + ".softmax", "Softmax", {scores}, {{"axis", std::int64_t{-1}}});
  ValueId context = net.apply(name + ".context", "MatMul", {weights, value});
  context = net.apply(name + ".context.transpose", "Transpose", {context},
                      {{"perm", Integers{0, 2, 1, 3}}});
  context = net.apply(name + ".context.reshape", "Reshape", {context},
                      {{"shape", Integers{1, tokens, hidden}}});
  return linear(net, name + ".output", context, hidden, hidden);
}

ValueId layer_normalisation(Network& net, const std::string& name, ValueId x) {
  const auto mean = [&](const std::string& of, ValueId value) {
    return net.apply(name + "." + of, "ReduceMean", {value},
                     {{"axes", Integers{-1}}, {"keepdims", std::int64_t{1}}});
  };
  const ValueId centred = net.apply(name + ".sub", "Sub", {x, mean("mean", x)});
  const ValueId square = net.apply(name + ".pow", "Pow", {centred, net.scalar(name + ".two", 2)});
  const ValueId variance = net.apply(
      name + ".stable", "Add", {mean("variance", square), net.scalar(name + ".epsilon", 1e-12f)});
  ValueId y =
      net.apply(name + ".div", "Div", {centred, net.apply(name + ".sqrt", "Sqrt", {variance})});
  y = net.apply(name + ".mul", "Mul", {y, net.weights(name + ".weight", {hidden}, 0.1f, 1)});
  return net.apply(name + ".add", "Add", {y, net.weights(name + ".bias", {hidden}, 0.05f)});
}

// x / 2 * (1 + erf(x / sqrt 2))
ValueId gelu(Network& net, const std::string& name, ValueId x) {
  ValueId y = net.apply(name + ".div", "Div", {x, net.scalar(name + ".sqrt_two", std::sqrt(2.0f))});
  y = net.apply(name + ".add", "Add",
                {net.apply(name + ".erf", "Erf", {y}), net.scalar(name + ".one", 1)});
  return net.apply(name + ".half", "Mul",
                   {net.apply(name + ".mul", "Mul", {x, y}), net.scalar(name + ".one_half", 0.5f)});
}

}  // namespace

Result<graph::Graph> encoder(std::int64_t) {
  Network net("encoder");
  const ValueId x = net.input("hidden_states", {1, tokens, hidden});
  const ValueId attended =
      net.apply("attention.residual", "Add", {attention(net, "attention", x), x});
  const ValueId y = layer_normalisation(net, "attention.norm", attended);
  const ValueId inner = gelu(net, "gelu", linear(net, "intermediate", y, hidden, feed_forward));
  const ValueId outer =
      net.apply("output.residual", "Add", {linear(net, "output", inner, feed_forward, hidden), y});
  return std::move(net).finish({layer_normalisation(net, "output.norm", outer)});
}

}  // namespace loopglass::samples
