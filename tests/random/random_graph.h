// Seeded random graphs for property tests: valid by construction, small enough to interpret, with
// the shapes that make fusion interesting (branches, broadcasts, reductions, matrix products).
#pragma once

#include "core/graph/graph.h"
#include "core/ops/registry.h"

#include <random>

namespace loopglass::test {

inline graph::Graph random_graph(std::uint32_t seed, int operators) {
  std::mt19937 random(seed);
  const auto pick = [&](std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
  };
  const auto op = [](const char* name) -> const ops::OpDef& { return *ops::find_operator(name); };
  graph::GraphBuilder builder("random");
  // All values are 4x4 or 1x4, so that any two broadcast and matrix products fit.
  const TensorType square{DataType::Float32, {4, 4}}, row{DataType::Float32, {1, 4}};
  std::vector<graph::ValueId> values{builder.add_input("a", square), builder.add_input("b", row)};
  Tensor data(square);
  for (float& element : data.as<float>())
    element = std::uniform_real_distribution<float>(-1, 1)(random);
  values.push_back(builder.add_constant("c", data));
  static const char* const unary[]{"Relu", "Sigmoid", "Neg", "Abs", "Identity"};
  static const char* const binary[]{"Add", "Sub", "Mul", "Max"};
  for (int i = 0; i < operators; ++i) {
    // Recent values are likelier, so that chains form.
    const auto value = [&] {
      return values[values.size() - 1 - std::min(pick(values.size()), pick(values.size()))];
    };
    const std::string name = "n" + std::to_string(i);
    Result<graph::NodeId> node = fail(Code::GraphInvalid, "");
    switch (pick(8)) {
      case 0:
      case 1:
      case 2: node = builder.add_node(name, op(unary[pick(5)]), {value()}, {}); break;
      case 3:
      case 4:
      case 5: node = builder.add_node(name, op(binary[pick(4)]), {value(), value()}, {}); break;
      case 6: {
        const graph::ValueId operand = value();
        if (builder.value(operand).type == square)
          node = builder.add_node(name, op("Transpose"), {operand},
                                  {{"perm", std::vector<std::int64_t>{1, 0}}});
        else node = builder.add_node(name, op("Softmax"), {operand}, {});
        break;
      }
      case 7: {
        const graph::ValueId left = value(), right = value();
        if (builder.value(right).type == square)
          node = builder.add_node(name, op("MatMul"), {left, right}, {});
        else node = builder.add_node(name, op("Add"), {left, right}, {});
        break;
      }
    }
    if (!node) throw std::logic_error(to_string(node.error()));
    values.push_back(builder.output(*node));
  }
  // Whatever nobody reads is a result, and one value in the middle as well.
  std::vector<graph::ValueId> outputs;
  for (const graph::ValueId value : values)
    if (builder.value(value).producer && !builder.is_used(value)) outputs.push_back(value);
  const graph::ValueId middle = values[3 + pick(values.size() - 3)];
  if (std::find(outputs.begin(), outputs.end(), middle) == outputs.end()) outputs.push_back(middle);
  builder.set_outputs(outputs);
  auto graph = std::move(builder).finish();
  if (!graph) throw std::logic_error(to_string(graph.error()));
  return *std::move(graph);
}

}  // namespace loopglass::test
