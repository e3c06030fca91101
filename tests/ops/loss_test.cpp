// Losses.
#include "tests/ops/arrays.h"

namespace loopglass::ops {
namespace {

using testing::HasSubstr;

const Tensor log_probabilities = f32({2, 3}, {-1, -2, -3, -4, -5, -6});
const Tensor target = i64({2}, {2, 0}), weight = f32({3}, {0.5f, 1, 2});

Attributes reduced(const std::string& reduction) { return {{"reduction", reduction}}; }
Attributes ignoring(std::int64_t index, const std::string& reduction = "mean") {
  return {{"reduction", reduction}, {"ignore_index", index}};
}

TEST(NegativeLogLikelihoodLoss, CostsTheTargetsClass) {
  const std::vector<Tensor> inputs{log_probabilities, target};
  expect_tensor(run("NegativeLogLikelihoodLoss", inputs, reduced("none")), {2}, {3, 4});
  expect_tensor(run("NegativeLogLikelihoodLoss", inputs, reduced("sum")), {}, {7});
  expect_tensor(run("NegativeLogLikelihoodLoss", inputs), {}, {3.5});
}

TEST(NegativeLogLikelihoodLoss, WeighsClassesAndDividesByTheWeights) {
  const std::vector<Tensor> inputs{log_probabilities, target, weight};
  expect_tensor(run("NegativeLogLikelihoodLoss", inputs, reduced("none")), {2}, {6, 2});
  expect_tensor(run("NegativeLogLikelihoodLoss", inputs), {}, {8 / 2.5});
}

// An ignored target may lie outside the classes; it neither costs nor counts.
TEST(NegativeLogLikelihoodLoss, IgnoresATarget) {
  expect_tensor(
      run("NegativeLogLikelihoodLoss", {log_probabilities, i64({2}, {-100, 1})}, ignoring(-100)),
      {}, {5});
  expect_tensor(run("NegativeLogLikelihoodLoss", {log_probabilities, i64({2}, {2, 1}), weight},
                    ignoring(2, "none")),
                {2}, {0, 5});
}

TEST(NegativeLogLikelihoodLoss, TakesImages) {
  const Tensor images = f32({1, 2, 1, 2}, {-1, -2, -3, -4});
  const Tensor classes = Tensor::of<std::int32_t>({1, 1, 2}, {1, 0});
  expect_tensor(run("NegativeLogLikelihoodLoss", {images, classes}, reduced("none")), {1, 1, 2},
                {3, 2});
  EXPECT_THAT(refusal("NegativeLogLikelihoodLoss", {images.type(), {DataType::Int64, {1, 2}}}),
              HasSubstr("targets int64[1x2] for scores"));
}

TEST(SoftmaxCrossEntropyLoss, IsTheLossOfTheLogSoftmax) {
  const auto outputs =
      run_all("SoftmaxCrossEntropyLoss", {f32({1, 3}, {1, 2, 3}), i64({1}, {1})}, {}, 2);
  const double logarithm = std::log(std::exp(-2.0) + std::exp(-1.0) + 1) + 3;
  expect_tensor(outputs[0], {}, {logarithm - 2});
  expect_tensor(outputs[1], {1, 3}, {1 - logarithm, 2 - logarithm, 3 - logarithm});
}

}  // namespace
}  // namespace loopglass::ops
