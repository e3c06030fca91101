// RNN, GRU and LSTM against plain loops, and the bookkeeping of directions, lengths and layouts by
// hand.
#include "tests/ops/arrays.h"

namespace loopglass::ops {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// One unit that adds its input to ten times its state: digits.
const Tensor w1 = f32({1, 1, 1}, {1}), r1 = f32({1, 1, 1}, {10});
const Tensor digits = f32({3, 1, 1}, {1, 2, 3});
Attributes linear(Attributes more = {}) {
  more.set(
      "activations",
      std::vector<std::string>(
          more.has("direction") && more.string("direction") == "bidirectional" ? 2 : 1, "Affine"));
  return more;
}

TEST(Rnn, CarriesItsState) {
  const auto outputs = run_all("RNN", {digits, w1, r1}, linear(), 2);
  expect_tensor(outputs[0], {3, 1, 1, 1}, {1, 12, 123});
  expect_tensor(outputs[1], {1, 1, 1}, {123});
  expect_tensor(
      run("RNN", {digits, w1, r1, f32({1, 2}, {0.25f, 0.5f}), {}, f32({1, 1, 1}, {1})}, linear()),
      {3, 1, 1, 1}, {11.75, 120.25, 1206.25});
}

TEST(Rnn, RunsBackwardsAndBothWays) {
  expect_tensor(run("RNN", {digits, w1, r1}, linear({{"direction", "reverse"}})), {3, 1, 1, 1},
                {321, 32, 3});
  const Tensor w = f32({2, 1, 1}, {1, 1}), r = f32({2, 1, 1}, {10, 10});
  const auto both = run_all("RNN", {digits, w, r}, linear({{"direction", "bidirectional"}}), 2);
  expect_tensor(both[0], {3, 2, 1, 1}, {1, 321, 12, 32, 123, 3});
  expect_tensor(both[1], {2, 1, 1}, {123, 321});
}

// The second sequence has one step: its other outputs are 0, and its last state is that of its last
// step. Backwards, each sequence begins at its own end.
TEST(Rnn, EndsSequencesAtTheirLengths) {
  const Tensor x = f32({3, 2, 1}, {1, 4, 2, 5, 3, 6}), lengths = i32({2}, {3, 1});
  const auto forward = run_all("RNN", {x, w1, r1, {}, lengths}, linear(), 2);
  expect_tensor(forward[0], {3, 1, 2, 1}, {1, 4, 12, 0, 123, 0});
  expect_tensor(forward[1], {1, 2, 1}, {123, 4});
  const auto reverse =
      run_all("RNN", {x, w1, r1, {}, lengths}, linear({{"direction", "reverse"}}), 2);
  expect_tensor(reverse[0], {3, 1, 2, 1}, {321, 4, 32, 0, 3, 0});
  expect_tensor(reverse[1], {1, 2, 1}, {321, 4});
}

TEST(Rnn, PutsTheBatchFirstOnRequest) {
  const Tensor x = f32({2, 3, 1}, {1, 2, 3, 4, 5, 6});
  const auto outputs = run_all("RNN", {x, w1, r1, {}, {}, f32({2, 1, 1}, {0, 1})},
                               linear({{"layout", std::int64_t{1}}}), 2);
  expect_tensor(outputs[0], {2, 3, 1, 1}, {1, 12, 123, 14, 145, 1456});
  expect_tensor(outputs[1], {2, 1, 1}, {123, 1456});
}

TEST(Rnn, ClipsWhatActivationsTake) {
  expect_tensor(run("RNN", {digits, w1, r1}, linear({{"clip", 50.0}})), {3, 1, 1, 1}, {1, 12, 50});
}

TEST(Rnn, KnowsItsActivationsAndTheirParameters) {
  const auto activated = [&](const std::string& name, float x, Reals alpha = {}, Reals beta = {}) {
    return computed("RNN", {f32({1, 1, 1}, {x}), w1, r1},
                    {{"activations", std::vector<std::string>{name}},
                     {"activation_alpha", alpha},
                     {"activation_beta", beta}})[0];
  };
  EXPECT_NEAR(activated("Tanh", 0.5f), std::tanh(0.5), 1e-6);
  EXPECT_NEAR(activated("sigmoid", 0.5f), 1 / (1 + std::exp(-0.5)), 1e-6);
  EXPECT_NEAR(activated("Relu", -1), 0, 1e-6);
  EXPECT_NEAR(activated("LeakyRelu", -1), -0.01, 1e-6);
  EXPECT_NEAR(activated("LeakyRelu", -1, {0.5}), -0.5, 1e-6);
  EXPECT_NEAR(activated("ThresholdedRelu", 1.5f, {2}), 0, 1e-6);
  EXPECT_NEAR(activated("ScaledTanh", 0.5f, {2}, {3}), 2 * std::tanh(1.5), 1e-6);
  EXPECT_NEAR(activated("HardSigmoid", 1), 0.7, 1e-6);
  EXPECT_NEAR(activated("Elu", -1, {2}), 2 * (std::exp(-1.0) - 1), 1e-6);
  EXPECT_NEAR(activated("Softsign", -3), -0.75, 1e-6);
  EXPECT_NEAR(activated("Softplus", 100), 100, 1e-6);
  EXPECT_NEAR(activated("Affine", 3, {2}, {1}), 7, 1e-6);
}

TEST(Rnn, RefusesWhatItCannotUnrollOrDoesNotKnow) {
  const TensorType x{DataType::Float32, {300, 1, 1}};
  EXPECT_EQ(refusal("RNN", {x, w1.type(), r1.type()}),
            "LG2002: RNN: a sequence of 300 steps; at most 256 are unrolled");
  const auto refused = [&](Attributes attributes) {
    return refusal("RNN", {digits.type(), w1.type(), r1.type()}, std::move(attributes));
  };
  EXPECT_THAT(refused({{"activations", std::vector<std::string>{"Gelu"}}}),
              HasSubstr("activation 'Gelu' is not known"));
  EXPECT_THAT(refused({{"activation_alpha", Reals{1}}}), HasSubstr("more activation_alpha"));
  EXPECT_THAT(refused({{"direction", "bidirectional"}}), StartsWith("LG2004"));
  EXPECT_THAT(refused({{"hidden_size", std::int64_t{2}}}), HasSubstr("hidden_size 2"));
}

// --- cells against loops ------------------------------------------------------------------------

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// The weights of one direction, as the standard lays them out.
struct Weights {
  std::size_t gates, input = 3, hidden = 2;
  Tensor w, r, b, p;

  explicit Weights(std::size_t gate_count) : gates(gate_count) {
    const auto g = static_cast<std::int64_t>(gates);
    w = random_floats({1, 2 * g, 3}, 1);
    r = random_floats({1, 2 * g, 2}, 2);
    b = random_floats({1, 4 * g}, 3);
    p = random_floats({1, 6}, 4);
  }
  double from_input(std::size_t gate, std::size_t j, const double* x) const {
    double sum = b.as<float>()[gate * hidden + j];
    for (std::size_t k = 0; k < input; ++k)
      sum += w.as<float>()[(gate * hidden + j) * input + k] * x[k];
    return sum;
  }
  double from_state(std::size_t gate, std::size_t j, const Reals& h) const {
    double sum = b.as<float>()[(gates + gate) * hidden + j];
    for (std::size_t k = 0; k < hidden; ++k)
      sum += r.as<float>()[(gate * hidden + j) * hidden + k] * h[k];
    return sum;
  }
  double both(std::size_t gate, std::size_t j, const double* x, const Reals& h) const {
    return from_input(gate, j, x) + from_state(gate, j, h);
  }
};

constexpr std::size_t steps = 4;
const Tensor sequence = random_floats({steps, 1, 3}, 5);

class Gru : public testing::TestWithParam<bool> {};

TEST_P(Gru, FollowsItsEquations) {
  const bool resets_product = GetParam();
  const Weights weights(3);
  const Reals xs = elements(sequence);
  Reals h{0, 0}, expected;
  for (std::size_t t = 0; t < steps; ++t) {
    const double* x = &xs[t * 3];
    Reals z(2), r(2), reset(2), next(2);
    for (std::size_t j = 0; j < 2; ++j) {
      z[j] = sigmoid(weights.both(0, j, x, h));
      r[j] = sigmoid(weights.both(1, j, x, h));
      reset[j] = r[j] * h[j];
    }
    for (std::size_t j = 0; j < 2; ++j) {
      const double state =
          resets_product ? r[j] * weights.from_state(2, j, h) : weights.from_state(2, j, reset);
      next[j] = (1 - z[j]) * std::tanh(weights.from_input(2, j, x) + state) + z[j] * h[j];
    }
    h = next;
    expected.insert(expected.end(), h.begin(), h.end());
  }
  expect_tensor(run("GRU", {sequence, weights.w, weights.r, weights.b},
                    {{"linear_before_reset", std::int64_t{resets_product}}}),
                {4, 1, 1, 2}, expected);
}

INSTANTIATE_TEST_SUITE_P(LinearBeforeReset, Gru, testing::Bool(),
                         testing::PrintToStringParamName());

struct Lstm : testing::TestWithParam<bool> {};

TEST_P(Lstm, FollowsItsEquations) {
  const bool coupled = GetParam();
  const Weights weights(4);
  const Reals xs = elements(sequence), p = elements(weights.p);
  Reals h{0, 0}, c{0.5, -0.5}, expected;
  for (std::size_t t = 0; t < steps; ++t) {
    const double* x = &xs[t * 3];
    Reals next_h(2), next_c(2);
    for (std::size_t j = 0; j < 2; ++j) {
      const double i = sigmoid(weights.both(0, j, x, h) + p[j] * c[j]);
      const double f = coupled ? 1 - i : sigmoid(weights.both(2, j, x, h) + p[4 + j] * c[j]);
      next_c[j] = f * c[j] + i * std::tanh(weights.both(3, j, x, h));
      const double o = sigmoid(weights.both(1, j, x, h) + p[2 + j] * next_c[j]);
      next_h[j] = o * std::tanh(next_c[j]);
    }
    h = next_h;
    c = next_c;
    expected.insert(expected.end(), h.begin(), h.end());
  }
  const auto outputs = run_all(
      "LSTM",
      {sequence, weights.w, weights.r, weights.b, {}, {}, f32({1, 1, 2}, {0.5f, -0.5f}), weights.p},
      {{"input_forget", std::int64_t{coupled}}}, 3);
  expect_tensor(outputs[0], {4, 1, 1, 2}, expected);
  expect_tensor(outputs[1], {1, 1, 2}, h);
  expect_tensor(outputs[2], {1, 1, 2}, c);
}

INSTANTIATE_TEST_SUITE_P(InputForget, Lstm, testing::Bool(), testing::PrintToStringParamName());

}  // namespace
}  // namespace loopglass::ops
