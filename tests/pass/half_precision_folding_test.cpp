// Folding into weights of half precision keeps the results as near to the exact ones as they were.
#include "core/ops/registry.h"
#include "tests/pass/before_after.h"

#include <cmath>
#include <random>

namespace loopglass::test {
namespace {

// Numbers that half precision holds exactly, so that networks of any type are the same network.
std::vector<double> numbers(std::int64_t count, double from, double to, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<double> numbers;
  for (std::int64_t i = 0; i < count; ++i) {
    const double share = static_cast<double>(random()) / static_cast<double>(std::mt19937::max());
    numbers.push_back(static_cast<double>(static_cast<Float16>(from + (to - from) * share)));
  }
  return numbers;
}

Tensor tensor(DataType type, Shape shape, double from, double to, std::uint32_t seed) {
  Tensor tensor({type, std::move(shape)});
  const std::vector<double> values = numbers(tensor.elements(), from, to, seed);
  visit_type(type, [&](auto element) {
    using T = decltype(element);
    std::ranges::transform(values, tensor.as<T>().begin(),
                           [](double value) { return static_cast<T>(value); });
  });
  return tensor;
}

// A convolution of sixteen channels and its normalisation.
graph::Graph network(DataType type, std::uint32_t seed) {
  graph::GraphBuilder builder("half");
  const auto constant = [&](const char* name, Shape shape, double from, double to) {
    return builder.add_constant(name, tensor(type, std::move(shape), from, to, ++seed));
  };
  const auto x = builder.add_input("x", {type, {1, 16, 6, 6}});
  const auto conv = *builder.add_node(
      "conv", *ops::find_operator("Conv"),
      {x, constant("w", {16, 16, 3, 3}, -0.5, 0.5), constant("b", {16}, -1, 1)}, {});
  const auto bn = *builder.add_node(
      "bn", *ops::find_operator("BatchNormalization"),
      {builder.output(conv), constant("scale", {16}, 0.5, 2), constant("shift", {16}, -1, 1),
       constant("mean", {16}, -1, 1), constant("variance", {16}, 0.5, 4)},
      {});
  builder.set_outputs({builder.output(bn)});
  return *std::move(builder).finish();
}

std::vector<double> result(const graph::Graph& graph, std::uint32_t seed) {
  const TensorType& type = graph.value(graph.inputs().front()).type;
  const std::vector<Tensor> inputs{tensor(type.type, type.shape, -1, 1, seed)};
  const auto outputs = loop::interpret(graph, inputs);
  std::vector<double> numbers;
  for (std::int64_t i = 0; i < outputs->front().elements(); ++i)
    numbers.push_back(outputs->front().double_at(i));
  return numbers;
}

// The largest error, in root mean squares of what is exact.
double error(const std::vector<double>& exact, const std::vector<double>& rounded) {
  double squares = 0, worst = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    squares += exact[i] * exact[i];
    worst = std::max(worst, std::abs(rounded[i] - exact[i]));
  }
  return worst / std::sqrt(squares / static_cast<double>(exact.size()));
}

TEST(HalfPrecisionFolding, ErrsNoMoreThanRoundingDidBefore) {
  // Eight times what one rounding costs: terms cancel, and the largest numbers are some times as
  // large as the root mean square.
  constexpr double tolerance = 4e-3;
  for (std::uint32_t seed = 1; seed <= 10; ++seed) {
    const graph::Graph before = network(DataType::Float16, 100 * seed);
    const auto step = applied("fold-batch-norm", before);
    ASSERT_EQ(step.result->nodes().size(), 1u);
    const auto exact = result(network(DataType::Float64, 100 * seed), seed);
    EXPECT_LT(error(exact, result(*step.result, seed)), tolerance) << seed;
    EXPECT_LT(error(exact, result(before, seed)), tolerance) << seed;
  }
}

}  // namespace
}  // namespace loopglass::test
