// Weights are drawn so that signals neither die out nor blow up on their way through: an output
// that is constant, or hardly a number, would prove nothing when it is compared.
#include "core/loop/interpret_graph.h"
#include "samples/samples.h"

#include <gtest/gtest.h>
#include <cmath>
#include <random>

namespace loopglass::samples {
namespace {

Tensor noise(const TensorType& type) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> uniform(-1, 1);
  Tensor tensor(type);
  for (float& element : tensor.as<float>()) element = uniform(random);
  return tensor;
}

class Activations : public ::testing::TestWithParam<const char*> {};

TEST_P(Activations, StaySane) {
  const Sample& sample = *find_sample(GetParam());
  const auto graph = sample.build(sample.image_size == 0 ? 0 : 64);
  ASSERT_TRUE(graph) << to_string(graph.error());
  std::vector<Tensor> inputs;
  for (const graph::ValueId id : graph->inputs()) inputs.push_back(noise(graph->value(id).type));
  const auto outputs = loop::interpret(*graph, inputs);
  ASSERT_TRUE(outputs) << to_string(outputs.error());
  for (const Tensor& output : *outputs) {
    double sum = 0, squares = 0;
    for (std::int64_t i = 0; i < output.elements(); ++i) {
      const double value = output.double_at(i);
      ASSERT_TRUE(std::isfinite(value));
      sum += value;
      squares += value * value;
    }
    const double mean = sum / static_cast<double>(output.elements());
    const double deviation =
        std::sqrt(squares / static_cast<double>(output.elements()) - mean * mean);
    EXPECT_LT(deviation, 100);
    // Probabilities of 1000 classes lie around 0.001.
    EXPECT_GT(deviation, 1e-5);
  }
}

// VGG-16 is left to the compiler's tests: interpreting its dense layers alone takes a minute.
INSTANTIATE_TEST_SUITE_P(All, Activations,
                         ::testing::Values("mlp", "lenet", "resnet50", "mobilenet_v1",
                                           "efficientnet_b0", "yolov4"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace loopglass::samples
