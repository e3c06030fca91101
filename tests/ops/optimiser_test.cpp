// Steps of the optimisers by hand, with several tensors at once.
#include "tests/ops/arrays.h"

namespace loopglass::ops {
namespace {

using testing::StartsWith;

const Tensor rate = f32({}, {0.5f}), first = i64({}, {0}), second = i64({}, {1});
const Tensor x = f32({1}, {2}), g = f32({1}, {4}), v = f32({1}, {8});

TEST(Momentum, FollowsTheVelocity) {
  const Attributes standard{
      {"alpha", 0.5}, {"beta", 0.25}, {"mode", "standard"}, {"norm_coefficient", 0.5}};
  // g = 4 + 0.5 * 2 = 5; v = 0.5 * 8 + 5 the first time, + 0.25 * 5 later.
  const auto begun = run_all("Momentum", {rate, first, x, g, v}, standard, 2);
  expect_tensor(begun[0], {1}, {2 - 0.5 * 9});
  expect_tensor(begun[1], {1}, {9});
  expect_tensor(run_all("Momentum", {rate, second, x, g, v}, standard, 2)[1], {1}, {5.25});
  Attributes nesterov = standard;
  nesterov.set("mode", "nesterov");
  expect_tensor(run_all("Momentum", {rate, first, x, g, v}, nesterov, 2)[0], {1},
                {2 - 0.5 * (5 + 0.5 * 9)});
}

TEST(Adagrad, DividesByTheRootOfAllSquares) {
  const auto outputs = run_all(
      "Adagrad",
      {rate, second, x, f32({2}, {3, 6}), g, f32({2}, {0, 3}), f32({1}, {9}), f32({2}, {4, 16})},
      {{"epsilon", 0.0}, {"decay_factor", 1.0}}, 4);
  expect_tensor(outputs[0], {1}, {2 - 0.25 * 4 / 5});
  expect_tensor(outputs[1], {2}, {3, 6 - 0.25 * 3 / 5});
  expect_tensor(outputs[2], {1}, {25});
  expect_tensor(outputs[3], {2}, {4, 25});
}

TEST(Adam, UndoesTheBiasOfItsMeans) {
  const Attributes attributes{
      {"alpha", 0.5}, {"beta", 0.75}, {"epsilon", 0.0}, {"norm_coefficient_post", 0.5}};
  const auto outputs = run_all("Adam", {rate, second, x, g, v, f32({1}, {16})}, attributes, 3);
  // v = 0.5 * 8 + 0.5 * 4, h = 0.75 * 16 + 0.25 * 16; at step 1 the rate is 0.5 * sqrt(0.25) / 0.5.
  expect_tensor(outputs[1], {1}, {6});
  expect_tensor(outputs[2], {1}, {16});
  expect_tensor(outputs[0], {1}, {0.5 * (2 - 0.5 * 6 / 4)});
}

TEST(Optimisers, RefuseIncompleteGroups) {
  EXPECT_THAT(refusal("Adagrad", {rate.type(), first.type(), x.type(), g.type()}, {}, 2),
              StartsWith("LG2004"));
  EXPECT_THAT(
      refusal("Adagrad", {rate.type(), first.type(), x.type(), {DataType::Float32, {2}}, v.type()},
              {}, 2),
      StartsWith("LG2004"));
}

}  // namespace
}  // namespace loopglass::ops
