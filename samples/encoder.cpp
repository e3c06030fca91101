// One encoder block of BERT-base (Devlin et al., 2018): 12 heads over 768 features, 128 positions,
// written out in the small operators that exporters emit: 7,087,872 parameters.
#include "samples/architectures.h"
#include "samples/network.h"

#include <cmath>

namespace loopglass::samples {

namespace {

using Value = Network::Value;

constexpr std::int64_t positions = 128, features = 768, heads = 12, head_features = features / heads, inner = 3072;

class Encoder {
 public:
  explicit Encoder(Network& network) : network_(network) {}

  Value linear(Value x, std::int64_t outputs, const std::string& name) {
    const std::int64_t inputs = network_.shape(x).back();
    const Value weight = network_.parameter(name + ".weight", {inputs, outputs}, std::sqrt(3.0 / static_cast<double>(inputs)));
    const Value bias = network_.parameter(name + ".bias", {outputs}, 0.05);
    return network_.add("Add", {network_.add("MatMul", {x, weight}, {}, name + ".matmul"), bias}, {}, name);
  }

  Value attention(Value x) {
    const Value query = split_heads(linear(x, features, "query"), {0, 2, 1, 3}, "query");
    const Value key = split_heads(linear(x, features, "key"), {0, 2, 3, 1}, "key");
    const Value value = split_heads(linear(x, features, "value"), {0, 2, 1, 3}, "value");
    Value scores = network_.add("MatMul", {query, key}, {}, "scores");
    scores = network_.add("Div", {scores, network_.scalar("root_head_features", std::sqrt(static_cast<float>(head_features)))}, {},
                          "scores.scaled");
    const Value weights = network_.add("Softmax", {scores}, {{"axis", std::int64_t{-1}}}, "attention");
    Value context = network_.add("MatMul", {weights, value}, {}, "context");
    context = network_.add("Transpose", {context}, {{"perm", std::vector<std::int64_t>{0, 2, 1, 3}}}, "context.transpose");
    context = network_.add("Reshape", {context}, {{"shape", std::vector<std::int64_t>{1, positions, features}}}, "context.join");
    return linear(context, features, "projection");
  }

  Value layer_normalisation(Value x, const std::string& name) {
    const ops::Attributes last{{"axes", std::vector<std::int64_t>{-1}}, {"keepdims", std::int64_t{1}}};
    const Value centred = network_.add("Sub", {x, network_.add("ReduceMean", {x}, last, name + ".mean")}, {}, name + ".centred");
    const Value square = network_.add("Pow", {centred, network_.scalar(name + ".two", 2)}, {}, name + ".square");
    const Value variance = network_.add("ReduceMean", {square}, last, name + ".variance");
    const Value shifted = network_.add("Add", {variance, network_.scalar(name + ".epsilon", 1e-12F)}, {}, name + ".shifted");
    const Value deviation = network_.add("Sqrt", {shifted}, {}, name + ".deviation");
    const Value normal = network_.add("Div", {centred, deviation}, {}, name + ".normal");
    const Value scale = network_.parameter(name + ".scale", {features}, 0.1, 1), shift = network_.parameter(name + ".shift", {features}, 0.1);
    return network_.add("Add", {network_.add("Mul", {normal, scale}, {}, name + ".scaled"), shift}, {}, name);
  }

  // 0.5 * x * (1 + erf(x / sqrt(2)))
  Value gelu(Value x) {
    const Value ratio = network_.add("Div", {x, network_.scalar("gelu.root_two", std::sqrt(2.0F))}, {}, "gelu.ratio");
    const Value curve = network_.add("Erf", {ratio}, {}, "gelu.erf");
    const Value gate = network_.add("Add", {curve, network_.scalar("gelu.one", 1)}, {}, "gelu.gate");
    return network_.add("Mul", {network_.add("Mul", {x, gate}, {}, "gelu.gated"), network_.scalar("gelu.half", 0.5F)}, {}, "gelu");
  }

 private:
  Value split_heads(Value x, std::vector<std::int64_t> order, const std::string& name) {
    x = network_.add("Reshape", {x}, {{"shape", std::vector<std::int64_t>{1, positions, heads, head_features}}}, name + ".split");
    return network_.add("Transpose", {x}, {{"perm", std::move(order)}}, name + ".transpose");
  }

  Network& network_;
};

}  // namespace

graph::Graph encoder() {
  Network network("encoder", 8);
  Encoder block(network);
  const Value x = network.input("hidden_states", {1, positions, features});
  Value y = network.add("Add", {block.attention(x), x}, {}, "attention.residual");
  y = block.layer_normalisation(y, "attention.norm");
  Value z = block.linear(block.gelu(block.linear(y, inner, "intermediate")), features, "output");
  z = network.add("Add", {z, y}, {}, "output.residual");
  return std::move(network).finish({block.layer_normalisation(z, "output.norm")});
}

}  // namespace loopglass::samples
