// Elementwise operators, arithmetic and comparisons against values worked out by hand.
#include "tests/ops/evaluation.h"

namespace loopglass::ops {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Attributes none;

struct UnaryCase {
  std::string op;
  float x;
  double expected;
};
class Unary : public testing::TestWithParam<UnaryCase> {};

TEST_P(Unary, IsItsFunction) {
  EXPECT_THAT(computed(GetParam().op, {f32({1}, {GetParam().x})}), Near({GetParam().expected}));
}

INSTANTIATE_TEST_SUITE_P(
    Math, Unary,
    testing::Values(UnaryCase{"Abs", -2.5f, 2.5}, UnaryCase{"Neg", -2.5f, 2.5},
                    UnaryCase{"Sign", -2.5f, -1}, UnaryCase{"Sign", 0.0f, 0},
                    UnaryCase{"Exp", 1.0f, 2.718281828}, UnaryCase{"Log", 2.0f, 0.693147180},
                    UnaryCase{"Log", 0.0f, -infinity}, UnaryCase{"Sqrt", 2.0f, 1.414213562},
                    UnaryCase{"Sqrt", -1.0f, not_a_number}, UnaryCase{"Reciprocal", 4.0f, 0.25},
                    UnaryCase{"Erf", 0.5f, 0.520499877}, UnaryCase{"Floor", -1.5f, -2},
                    UnaryCase{"Ceil", -1.5f, -1}, UnaryCase{"Round", 2.5f, 2},
                    UnaryCase{"Round", -1.5f, -2}, UnaryCase{"Sin", 1.0f, 0.841470984},
                    UnaryCase{"Cos", 1.0f, 0.540302305}, UnaryCase{"Tan", 1.0f, 1.557407724},
                    UnaryCase{"Asin", 0.5f, 0.523598775}, UnaryCase{"Acos", 0.5f, 1.047197551},
                    UnaryCase{"Atan", 0.5f, 0.463647609}, UnaryCase{"Sinh", 1.0f, 1.175201193},
                    UnaryCase{"Cosh", 1.0f, 1.543080634}, UnaryCase{"Asinh", 1.0f, 0.881373587},
                    UnaryCase{"Acosh", 2.0f, 1.316957896}, UnaryCase{"Atanh", 0.5f, 0.549306144}),
    [](const auto& test) { return test.param.op + "_" + std::to_string(test.index); });

TEST(Unary, KeepsShapeAndType) {
  const Tensor y = run("Abs", {Tensor::of<std::int8_t>({2, 1}, {-128, 5})});
  EXPECT_EQ(to_string(y.type()), "int8[2x1]");
  EXPECT_THAT(elements(y), ElementsAre(-128, 5));  // two's complement has no 128
}

TEST(Unary, RefusesTypesWithoutTheFunction) {
  EXPECT_THAT(refusal("Exp", {{DataType::Int32, {1}}}), HasSubstr("LG2003"));
  EXPECT_THAT(refusal("Neg", {{DataType::UInt8, {1}}}), HasSubstr("LG2003"));
  EXPECT_THAT(refusal("Abs", {{DataType::Bool, {1}}}), HasSubstr("LG2003"));
}

TEST(BitwiseNot, FlipsBits) {
  EXPECT_THAT(computed("BitwiseNot", {Tensor::of<std::uint8_t>({2}, {0, 5})}),
              ElementsAre(255, 250));
}

TEST(IsNaN, MarksNotANumber) {
  EXPECT_THAT(computed("IsNaN", {f32({3}, {1, NAN, INFINITY})}), ElementsAre(0, 1, 0));
}

TEST(IsInf, MarksTheSignsAskedFor) {
  const Tensor x = f32({4}, {-INFINITY, INFINITY, 1, NAN});
  EXPECT_THAT(computed("IsInf", {x}), ElementsAre(1, 1, 0, 0));
  EXPECT_THAT(computed("IsInf", {x}, {{"detect_negative", std::int64_t{0}}}),
              ElementsAre(0, 1, 0, 0));
  EXPECT_THAT(computed("IsInf", {x}, {{"detect_positive", std::int64_t{0}}}),
              ElementsAre(1, 0, 0, 0));
}

TEST(Cast, TruncatesFloatsAndTakesNotZeroForTrue) {
  const Tensor x = f32({4}, {-1.9f, 0, 0.5f, 300});
  EXPECT_THAT(computed("Cast", {x}, {{"to", "int32"}}), ElementsAre(-1, 0, 0, 300));
  EXPECT_THAT(computed("Cast", {x}, {{"to", "bool"}}), ElementsAre(1, 0, 1, 1));
  EXPECT_THAT(computed("Cast", {boolean({2}, {false, true})}, {{"to", "float16"}}),
              ElementsAre(0, 1));
  EXPECT_THAT(computed("Cast", {i64({1}, {257})}, {{"to", "uint8"}}), ElementsAre(1));
}

TEST(Cast, RefusesATypeThatIsNone) {
  EXPECT_THAT(refusal("Cast", {{DataType::Float32, {1}}}, {{"to", "float12"}}),
              HasSubstr("LG2002"));
}

// ONNX numbers its element types; ours are named.
TEST(Cast, TranslatesTheTypeBothWays) {
  const OnnxMapping& mapping = *find_onnx("", "Cast", 13)->mapping;
  const Attributes onnx{{"to", std::int64_t{10}}};
  const auto ours = mapping.adapt(onnx, {{}, onnx, 1});
  ASSERT_TRUE(ours);
  EXPECT_EQ(ours->string("to"), "float16");
  EXPECT_TRUE(mapping.restore(*ours) == onnx);

  const Attributes text{{"to", std::int64_t{8}}};
  const auto refused = mapping.adapt(text, {{}, text, 1});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::TypeUnsupported);
}

TEST(CastLike, TakesTheTypeOfTheOther) {
  EXPECT_EQ(run("CastLike", {f32({2}, {1.5f, -1.5f}), i64({}, {0})}).data_type(), DataType::Int64);
}

TEST(Clip, LimitsOnTheSidesGiven) {
  const Tensor x = f32({3}, {-3, 0, 3});
  EXPECT_THAT(computed("Clip", {x, f32({}, {-1}), f32({}, {2})}), ElementsAre(-1, 0, 2));
  EXPECT_THAT(computed("Clip", {x, Tensor{}, f32({1}, {2})}), ElementsAre(-3, 0, 2));
  EXPECT_THAT(computed("Clip", {x}), ElementsAre(-3, 0, 3));
  EXPECT_THAT(computed("Clip", {x}, {{"min", 0.0}}), ElementsAre(0, 0, 3));
  EXPECT_THAT(computed("Clip", {x, f32({}, {2}), f32({}, {1})}), ElementsAre(1, 1, 1));
}

TEST(Clip, RefusesBoundsOfSeveralElementsOrAnotherType) {
  const TensorType x{DataType::Float32, {4}};
  EXPECT_THAT(refusal("Clip", {x, {DataType::Float32, {4}}}), HasSubstr("a bound has one element"));
  EXPECT_THAT(refusal("Clip", {x, {DataType::Int32, {}}}), HasSubstr("same element type"));
}

TEST(Where, ChoosesAndBroadcasts) {
  const Tensor condition = boolean({2, 1}, {true, false});
  EXPECT_THAT(computed("Where", {condition, f32({2}, {1, 2}), f32({}, {9})}),
              ElementsAre(1, 2, 9, 9));
  EXPECT_THAT(
      refusal("Where",
              {{DataType::Float32, {1}}, {DataType::Float32, {1}}, {DataType::Float32, {1}}}),
      HasSubstr("must be bool"));
}

TEST(Arithmetic, Broadcasts) {
  const Tensor a = f32({2, 1}, {1, 2}), b = f32({3}, {10, 20, 30});
  EXPECT_THAT(computed("Add", {a, b}), ElementsAre(11, 21, 31, 12, 22, 32));
  EXPECT_THAT(computed("Sub", {a, b}), ElementsAre(-9, -19, -29, -8, -18, -28));
  EXPECT_THAT(computed("Mul", {a, b}), ElementsAre(10, 20, 30, 20, 40, 60));
  EXPECT_THAT(computed("Div", {b, a}), ElementsAre(10, 20, 30, 5, 10, 15));
  EXPECT_EQ(inferred_shape("Add", {{DataType::Float32, {0, 3}}, {DataType::Float32, {3}}}),
            (Shape{0, 3}));
}

TEST(Arithmetic, RefusesShapesAndTypesThatDoNotFit) {
  EXPECT_THAT(refusal("Add", {{DataType::Float32, {2}}, {DataType::Float32, {3}}}),
              HasSubstr("do not broadcast: 2 against 3"));
  EXPECT_THAT(refusal("Add", {{DataType::Float32, {2}}, {DataType::Int32, {2}}}),
              HasSubstr("same element type"));
  EXPECT_THAT(refusal("Mul", {{DataType::Bool, {2}}, {DataType::Bool, {2}}}), HasSubstr("LG2003"));
}

TEST(Div, OfIntegersTruncates) {
  EXPECT_THAT(computed("Div", {i64({2}, {-7, 7}), i64({}, {2})}), ElementsAre(-3, 3));
}

// Before opset 7, the second operand could be laid along an axis; only what broadcasts today is
// taken.
TEST(Arithmetic, TakesEarlyBroadcastingAtTheEndOnly) {
  const OnnxMapping& mapping = *find_onnx("", "Add", 6)->mapping;
  const TensorType a{DataType::Float32, {2, 3, 4}}, b{DataType::Float32, {3, 4}};
  const TensorType* inputs[] = {&a, &b};
  const Attributes at_end{{"broadcast", std::int64_t{1}}, {"axis", std::int64_t{1}}};
  const auto adapted = mapping.adapt(at_end, {inputs, at_end, 1});
  ASSERT_TRUE(adapted);
  EXPECT_TRUE(adapted->all().empty());
  const Attributes at_front{{"broadcast", std::int64_t{1}}, {"axis", std::int64_t{0}}};
  EXPECT_FALSE(mapping.adapt(at_front, {inputs, at_front, 1}));
}

TEST(Pow, KeepsTheBasesType) {
  EXPECT_THAT(computed("Pow", {f32({3}, {1, 2, 3}), i64({}, {2})}), ElementsAre(1, 4, 9));
  const Tensor y = run("Pow", {Tensor::of<std::int32_t>({2}, {2, 4}), f32({2}, {3, 0.5f})});
  EXPECT_EQ(y.data_type(), DataType::Int32);
  EXPECT_THAT(elements(y), ElementsAre(8, 2));
  EXPECT_THAT(computed("Pow", {i64({2}, {3, 2}), i64({2}, {4, 10})}), ElementsAre(81, 1024));
}

TEST(Mod, TakesTheSignOfTheDivisorOrOfTheDividend) {
  const Tensor a = i64({4}, {-7, 7, -7, 7}), b = i64({4}, {3, -3, -3, 3});
  EXPECT_THAT(computed("Mod", {a, b}), ElementsAre(2, -2, -1, 1));
  EXPECT_THAT(computed("Mod", {a, b}, {{"fmod", std::int64_t{1}}}), ElementsAre(-1, 1, -1, 1));
  EXPECT_THAT(computed("Mod", {f32({2}, {-4.5f, 4.5f}), f32({}, {2})}, {{"fmod", std::int64_t{1}}}),
              Near({-0.5, 0.5}));
  EXPECT_THAT(refusal("Mod", {{DataType::Float32, {1}}, {DataType::Float32, {1}}}),
              HasSubstr("need fmod = 1"));
}

TEST(BitShift, ShiftsEitherWay) {
  const Tensor x = Tensor::of<std::uint8_t>({3}, {16, 4, 255}),
               y = Tensor::of<std::uint8_t>({3}, {1, 2, 8});
  EXPECT_THAT(computed("BitShift", {x, y}, {{"direction", "RIGHT"}}), ElementsAre(8, 1, 0));
  EXPECT_THAT(computed("BitShift", {x, y}, {{"direction", "LEFT"}}), ElementsAre(32, 16, 0));
  EXPECT_THAT(refusal("BitShift", {{DataType::Int32, {1}}, {DataType::Int32, {1}}},
                      {{"direction", "LEFT"}}),
              HasSubstr("unsigned"));
  EXPECT_THAT(
      refusal("BitShift", {{DataType::UInt8, {1}}, {DataType::UInt8, {1}}}, {{"direction", "UP"}}),
      HasSubstr("LG2002"));
}

TEST(Bitwise, CombinesBits) {
  const Tensor a = Tensor::of<std::int32_t>({1}, {12}), b = Tensor::of<std::int32_t>({1}, {10});
  EXPECT_THAT(computed("BitwiseAnd", {a, b}), ElementsAre(8));
  EXPECT_THAT(computed("BitwiseOr", {a, b}), ElementsAre(14));
  EXPECT_THAT(computed("BitwiseXor", {a, b}), ElementsAre(6));
}

TEST(Variadic, CombinesAllInputs) {
  const Tensor a = f32({2}, {1, 5}), b = f32({}, {3}), c = f32({2, 1}, {4, -4});
  EXPECT_THAT(computed("Sum", {a, b, c}), ElementsAre(8, 12, 0, 4));
  EXPECT_THAT(computed("Mean", {a, b, c}), Near({8 / 3.0, 4, 0, 4 / 3.0}));
  EXPECT_THAT(computed("Max", {a, b, c}), ElementsAre(4, 5, 3, 5));
  EXPECT_THAT(computed("Min", {a, b, c}), ElementsAre(1, 3, -4, -4));
  EXPECT_THAT(computed("Max", {a}), ElementsAre(1, 5));
}

TEST(Variadic, MaxAndMinSpreadNaN) {
  EXPECT_THAT(computed("Max", {f32({1}, {NAN}), f32({1}, {1})}), Near({not_a_number}));
  EXPECT_THAT(computed("Min", {f32({1}, {1}), f32({1}, {NAN})}), Near({not_a_number}));
}

TEST(Comparison, GivesBool) {
  const Tensor a = f32({3}, {1, 2, NAN}), b = f32({}, {2});
  EXPECT_EQ(run("Less", {a, b}).data_type(), DataType::Bool);
  EXPECT_THAT(computed("Less", {a, b}), ElementsAre(1, 0, 0));
  EXPECT_THAT(computed("LessOrEqual", {a, b}), ElementsAre(1, 1, 0));
  EXPECT_THAT(computed("Greater", {a, b}), ElementsAre(0, 0, 0));
  EXPECT_THAT(computed("GreaterOrEqual", {a, b}), ElementsAre(0, 1, 0));
  EXPECT_THAT(computed("Equal", {a, b}), ElementsAre(0, 1, 0));
  EXPECT_THAT(computed("Equal", {boolean({2}, {true, false}), boolean({}, {false})}),
              ElementsAre(0, 1));
  EXPECT_THAT(refusal("Less", {{DataType::Bool, {1}}, {DataType::Bool, {1}}}), HasSubstr("LG2003"));
}

TEST(Logic, FollowsItsTables) {
  const Tensor a = boolean({4}, {false, false, true, true}),
               b = boolean({4}, {false, true, false, true});
  EXPECT_THAT(computed("And", {a, b}), ElementsAre(0, 0, 0, 1));
  EXPECT_THAT(computed("Or", {a, b}), ElementsAre(0, 1, 1, 1));
  EXPECT_THAT(computed("Xor", {a, b}), ElementsAre(0, 1, 1, 0));
  EXPECT_THAT(computed("Not", {a}), ElementsAre(1, 1, 0, 0));
  EXPECT_THAT(refusal("And", {{DataType::Int32, {1}}, {DataType::Int32, {1}}}),
              HasSubstr("must be bool"));
}

}  // namespace
}  // namespace loopglass::ops
