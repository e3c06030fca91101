// Activation functions at points on either side of their bends.
#include "tests/ops/evaluation.h"

namespace loopglass::ops {
namespace {

using testing::HasSubstr;

struct ActivationCase {
  std::string op;
  Attributes attributes;
  Reals expected;  // at -2, -0.25, 0, 0.5, 3
};
class Activation : public testing::TestWithParam<ActivationCase> {};

TEST_P(Activation, IsItsFunction) {
  const auto& [op, attributes, expected] = GetParam();
  EXPECT_THAT(computed(op, {f32({5}, {-2, -0.25f, 0, 0.5f, 3})}, attributes), Near(expected));
}

INSTANTIATE_TEST_SUITE_P(
    Functions, Activation,
    testing::Values(
        ActivationCase{"Relu", {}, {0, 0, 0, 0.5, 3}},
        ActivationCase{"LeakyRelu", {{"alpha", 0.1}}, {-0.2, -0.025, 0, 0.5, 3}},
        ActivationCase{"Elu", {{"alpha", 2.0}}, {-1.729329433, -0.442398433, 0, 0.5, 3}},
        ActivationCase{"Selu", {}, {-1.520166468, -0.388890197, 0, 0.525350494, 3.152102962}},
        ActivationCase{"Celu", {{"alpha", 2.0}}, {-1.264241117, -0.235006195, 0, 0.5, 3}},
        ActivationCase{"ThresholdedRelu", {{"alpha", 0.5}}, {0, 0, 0, 0, 3}},
        ActivationCase{"Sigmoid", {}, {0.119202922, 0.437823499, 0.5, 0.622459331, 0.952574126}},
        ActivationCase{"HardSigmoid", {}, {0.1, 0.45, 0.5, 0.6, 1}},
        ActivationCase{"HardSwish", {}, {-0.333333333, -0.114583333, 0, 0.291666666, 3}},
        ActivationCase{
            "Softplus", {}, {0.126928011, 0.575939420, 0.693147180, 0.974076984, 3.048587351}},
        ActivationCase{"Softsign", {}, {-0.666666666, -0.2, 0, 0.333333333, 0.75}},
        ActivationCase{"Tanh", {}, {-0.964027580, -0.244918662, 0, 0.462117157, 0.995054753}},
        ActivationCase{"Mish", {}, {-0.252501479, -0.129926964, 0, 0.375245211, 2.986535}},
        ActivationCase{"Shrink", {{"lambd", 0.3}, {"bias", 0.25}}, {-1.75, 0, 0, 0.25, 2.75}},
        ActivationCase{"Gelu", {}, {-0.045500263, -0.100323419, 0, 0.345731230, 2.995950305}},
        ActivationCase{"Gelu",
                       {{"approximate", "tanh"}},
                       {-0.045402306, -0.100324649, 0, 0.345714010, 2.996362607}}),
    [](const auto& test) { return test.param.op + "_" + std::to_string(test.index); });

TEST(Activation, HoldsAtExtremes) {
  const Tensor x = f32({3}, {-1e4f, 1e4f, NAN});
  EXPECT_THAT(computed("Softplus", {x}), Near({0, 1e4, not_a_number}));
  EXPECT_THAT(computed("Sigmoid", {x}), Near({0, 1, not_a_number}));
  EXPECT_THAT(computed("Relu", {x}), Near({0, 1e4, not_a_number}));
}

// e^-11.5 has no float16 reciprocal sum; computed in float32, the result is right to the last bit.
TEST(Activation, RoundsFloat16Once) {
  const Tensor y = run("Sigmoid", {Tensor::of<Float16>({1}, {static_cast<Float16>(-8.0f)})});
  EXPECT_EQ(y.data_type(), DataType::Float16);
  EXPECT_EQ(y.double_at(0), static_cast<double>(static_cast<Float16>(0.000335350130)));
}

TEST(Relu, TakesSignedIntegers) {
  EXPECT_THAT(computed("Relu", {Tensor::of<std::int8_t>({2}, {-3, 3})}),
              testing::ElementsAre(0, 3));
  EXPECT_THAT(refusal("Relu", {{DataType::UInt8, {1}}}), HasSubstr("LG2003"));
}

TEST(PRelu, BroadcastsItsSlope) {
  const Tensor x = f32({2, 2}, {-1, 2, -3, -4});
  EXPECT_THAT(computed("PRelu", {x, f32({2}, {0.5f, 0.25f})}),
              testing::ElementsAre(-0.5, 2, -1.5, -1));
  EXPECT_THAT(refusal("PRelu", {{DataType::Float32, {2}}, {DataType::Float32, {3, 2}}}),
              HasSubstr("does not broadcast"));
}

TEST(Gelu, RefusesAnApproximationItDoesNotKnow) {
  EXPECT_THAT(refusal("Gelu", {{DataType::Float32, {2}}}, {{"approximate", "quick"}}),
              HasSubstr("LG2002"));
}

}  // namespace
}  // namespace loopglass::ops
