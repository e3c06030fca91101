// The rules about neutral and absorbing operands, signs and identities: each at work, and where it
// must hold back.
#include "passes/graph/rules/families.h"
#include "tests/pass/formula_case.h"

namespace loopglass {
namespace {

using namespace test;

const std::vector<FormulaCase> identities{
    {"identity", f32, "Neg(Identity(x))", "Neg(x)"},
    {"identity", f32, "Neg(Cast<to=float32>(x))", "Neg(x)"},
    {"identity", f32, "Neg(Dropout(x))", "Neg(x)"},
    {"identity", f32, "Neg(Sum(x))", "Neg(x)"},
    {"identity", f32, "Neg(Clip(x))", "Neg(x)"},
    {"identity", f32, "Neg(Relu(x))"},
    {"cast-like-to-cast", f32, "CastLike(x, y:int8)", "Cast<to=int8>(x)"},
    {"cast-of-cast", i8, "Cast<to=int32>(Cast<to=int16>(x))", "Cast<to=int32>(x)"},
    {"cast-of-cast", f16, "Cast<to=float16>(Cast<to=float64>(x))", "Cast<to=float16>(x)"},
    {"cast-of-cast", f32, "Cast<to=int8>(Cast<to=float64>(x))", "Cast<to=int8>(x)"},
    {"cast-of-cast", i32, "Cast<to=bool>(Cast<to=float64>(x))", "Cast<to=bool>(x)"},
    {"cast-of-cast", truth, "Cast<to=int8>(Cast<to=float16>(x))", "Cast<to=int8>(x)"},
    {"cast-of-cast", u8, "Cast<to=float16>(Cast<to=int32>(x))", "Cast<to=float16>(x)"},
    {"cast-of-cast", i8, "Cast<to=float32>(Cast<to=float16>(x))", "Cast<to=float32>(x)"},
    // What lies between loses something.
    {"cast-of-cast", i32, "Cast<to=float64>(Cast<to=float32>(x))"},
    {"cast-of-cast", f32, "Cast<to=float32>(Cast<to=float16>(x))"},
    {"cast-of-cast", f32, "Cast<to=float64>(Cast<to=bool>(x))"},
    {"cast-of-cast", i8, "Cast<to=int32>(Cast<to=uint8>(x))"},
    {"cast-of-cast", u8, "Cast<to=int32>(Cast<to=int8>(x))"},
    // A float saturates on its way to an integer that wraps.
    {"cast-of-cast", i32, "Cast<to=int8>(Cast<to=float64>(x))"},
};

const std::vector<FormulaCase> arithmetic{
    {"add-zero", f32, "Add(x, 0)", "x"},
    {"add-zero", f16, "Add(0, x)", "x"},
    {"add-zero", i8, "Add(x, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])", "x"},
    {"add-zero", f32, "Add(x, 0@2x4x12)"},  // which makes x larger
    {"add-zero", f32, "Add(x, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])"},
    {"subtract-zero", f32, "Sub(x, 0)", "x"},
    {"subtract-zero", f32, "Sub(0, x)"},
    {"subtract-from-zero", f32, "Sub(0, x)", "Neg(x)"},
    {"subtract-from-zero", i8, "Sub(0, x)", "Neg(x)"},
    {"subtract-from-zero", u8, "Sub(0, x)"},
    {"multiply-by-one", f32, "Mul(x, 1)", "x"},
    {"multiply-by-one", f16, "Mul(1, x)", "x"},
    {"multiply-by-one", f32, "Mul(s, 1@4x12)"},
    {"multiply-by-minus-one", f32, "Mul(x, -1)", "Neg(x)"},
    {"multiply-by-minus-one", i8, "Mul(-1, x)", "Neg(x)"},
    {"multiply-by-zero", f32, "Mul(x, 0)", "0"},
    {"multiply-by-zero", i8, "Mul(x, 0)"},
    {"multiply-by-zero-integers", i8, "Mul(x, 0)", "0"},
    {"multiply-by-zero-integers", f32, "Mul(x, 0)"},
    {"divide-by-one", f32, "Div(x, 1)", "x"},
    {"divide-by-one", i8, "Div(x, 1)", "x"},
    {"divide-by-one", f32, "Div(1, x)"},
    {"divide-by-minus-one", f32, "Div(x, -1)", "Neg(x)"},
    {"divide-by-minus-one", i8, "Div(x, -1)", "Neg(x)"},
    {"divide-zero", i8, "Div(0, x)", "0"},
    {"divide-zero", f32, "Div(0, x)"},  // 0 / 0
    {"power-of-one", f32, "Pow(x, 1)", "x"},
    {"power-of-one", f16, "Pow(x, 1:float64)", "x"},
    {"power-of-one", i64, "Pow(x, 1)", "x"},
    {"power-of-one", i32, "Pow(x, 1:float32)", "x"},
    {"power-of-one", i64, "Pow(x, 1:float32)"},
    {"power-of-zero", f32, "Pow(x, 0)", "1"},
    {"power-of-zero", i8, "Pow(x, 0:float32)", "1"},
    {"one-to-a-power", f32, "Pow(1, x)", "1"},
    {"one-to-a-power", i8, "Pow(1, x)", "1"},
    {"remainder-by-one", i8, "Mod(x, 1)", "0"},
    {"remainder-by-one", u8, "Mod<fmod=1>(x, 1)", "0"},
    {"remainder-by-one", f32, "Mod<fmod=1>(x, 1)"},
    {"subtract-self", f32, "Sub(x, x)", "0"},
    {"subtract-self-integers", i8, "Sub(x, x)", "0"},
    {"subtract-self-integers", f32, "Sub(x, x)"},
    {"add-then-subtract", f64, "Sub(Add(x, y), y)", "x"},
    {"add-then-subtract", f64, "Sub(Add(y, x), y)", "x"},
    {"add-then-subtract", f64, "Sub(Add(s, x), x)"},  // s is smaller than the result
    {"add-then-subtract-integers", u8, "Sub(Add(x, y), x)", "y"},
    {"subtract-then-add", f64, "Add(Sub(x, y), y)", "x"},
    {"subtract-then-add", f64, "Add(y, Sub(x, y))", "x"},
    {"subtract-then-add-integers", i8, "Add(Sub(x, y), y)", "x"},
    {"subtract-sum", f64, "Sub(x, Add(x, y))", "Neg(y)"},
    {"subtract-sum-integers", i8, "Sub(x, Add(y, x))", "Neg(y)"},
    {"subtract-difference", f64, "Sub(x, Sub(x, y))", "y"},
    {"subtract-difference-integers", u8, "Sub(x, Sub(x, y))", "y"},
    {"add-negated", f32, "Add(x, Neg(y))", "Sub(x, y)"},
    {"add-negated", i8, "Add(Neg(y), x)", "Sub(x, y)"},
    {"subtract-negated", f32, "Sub(x, Neg(y))", "Add(x, y)"},
    {"subtract-negated", i8, "Sub(x, Neg(y))", "Add(x, y)"},
    {"negate-difference", f32, "Neg(Sub(x, y))", "Sub(y, x)"},
    {"negate-difference", f16, "Neg(Sub(x, y)); Sub(x, y)", "Sub(y, x); Sub(x, y)"},
    {"negate-difference", i8, "Neg(Sub(x, y))", "Sub(y, x)"},
    {"negate-sum-with-constant", f32, "Neg(Add(x, 3))", "Sub(-3, x)"},
    {"negate-sum-with-constant", i8, "Neg(Add(x, -128))", "Sub(-128, x)"},
    {"negate-sum-with-constant", f32, "Neg(Add(x, y))"},
    {"negate-product-with-constant", f16, "Neg(Mul(x, 3))", "Mul(x, -3)"},
    {"negate-product-with-constant", i8, "Neg(Mul(x, -128))", "Mul(x, -128)"},
    {"negated-times-constant", f32, "Mul(Neg(x), 0.1)", "Mul(x, -0.10000000149011612)"},
    {"negated-times-constant", i8, "Mul(Neg(x), 3)", "Mul(x, -3)"},
    {"multiply-negated", f32, "Mul(Neg(x), Neg(y))", "Mul(x, y)"},
    {"multiply-negated", i8, "Mul(Neg(x), Neg(y))", "Mul(x, y)"},
    {"divide-negated", f32, "Div(Neg(x), Neg(y))", "Div(x, y)"},
    {"divide-negated", i8, "Div(Neg(x), Neg(y))"},
};

const std::vector<FormulaCase> bits{
    {"bitwise-and-zero", i8, "BitwiseAnd(x, 0)", "0"},
    {"bitwise-and-ones", i8, "BitwiseAnd(x, -1)", "x"},
    {"bitwise-and-ones", u8, "BitwiseAnd(255, x)", "x"},
    {"bitwise-and-ones", u8, "BitwiseAnd(x, 254)"},
    {"bitwise-or-zero", i8, "BitwiseOr(x, 0)", "x"},
    {"bitwise-or-ones", i8, "BitwiseOr(x, -1@4x12)", "-1"},
    {"bitwise-or-ones", i8,
     "BitwiseOr(x, -1)"},  // the constant is too small to stand for the result
    {"bitwise-xor-zero", u8, "BitwiseXor(x, 0)", "x"},
    {"bitwise-xor-ones", u8, "BitwiseXor(x, 255)", "BitwiseNot(x)"},
    {"bitwise-xor-self", i8, "BitwiseXor(x, x)", "0"},
    {"bitwise-and-complement", i8, "BitwiseAnd(BitwiseNot(x), x)", "0"},
    {"shift-by-zero", u8, "BitShift<direction=RIGHT>(x, 0)", "x"},
    {"shift-zero", u8, "BitShift<direction=LEFT>(0, x)", "0"},
};

const std::vector<FormulaCase> involutions{
    {"negate-negate", f32, "Neg(Neg(x))", "x"},
    {"negate-negate", i8, "Neg(Neg(x))", "x"},
    {"not-not", truth, "Not(Not(x))", "x"},
    {"bitwise-not-not", i8, "BitwiseNot(BitwiseNot(x))", "x"},
    {"reciprocal-reciprocal", f64, "Reciprocal(Reciprocal(x))", "x"},
    {"abs-abs", f32, "Abs(Abs(x))", "Abs(x)"},
    {"abs-abs", i8, "Abs(Abs(x))", "Abs(x)"},
    {"abs-negate", f32, "Abs(Neg(x))", "Abs(x)"},
    {"abs-negate", i8, "Abs(Neg(x))", "Abs(x)"},
    {"abs-nonnegative", f32, "Abs(Relu(x))", "Relu(x)"},
    {"abs-nonnegative", f32, "Abs(Sqrt(x))", "Sqrt(x)"},
    {"abs-nonnegative", f32, "Abs(Mul(x, x))", "Mul(x, x)"},
    {"abs-nonnegative", u8, "Abs(x)", "x"},
    {"abs-nonnegative", i8, "Abs(Clip(x, 0, 5))", "Clip(x, 0, 5)"},
    {"abs-nonnegative", i8, "Abs(Mul(x, x))"},  // which wraps around
    {"abs-nonnegative", f32, "Abs(Clip(x, -1, 5))"},
    {"sign-sign", f32, "Sign(Sign(x))", "Sign(x)"},
    {"bitwise-and-self", i8, "BitwiseAnd(x, x)", "x"},
    {"bitwise-or-self", i8, "BitwiseOr(x, x)", "x"},
    {"cos-negate", f32, "Cos(Neg(x))", "Cos(x)"},
    {"cos-abs", f64, "Cos(Abs(x))", "Cos(x)"},
    {"cosh-negate", f32, "Cosh(Neg(x))", "Cosh(x)"},
    {"cosh-abs", f64, "Cosh(Abs(x))", "Cosh(x)"},
    {"square-of-abs", f32, "Mul(Abs(x), Abs(x))", "Mul(x, x)"},
    {"square-of-abs", i8, "Mul(Abs(x), Abs(x))", "Mul(x, x)"},
    {"log-exp", f64, "Log(Exp(x))", "x"},
    {"exp-log", f64, "Exp(Log(Relu(x)))", "Relu(x)"},
    {"exp-log", f64, "Exp(Log(x))"},
    {"sqrt-of-square", f64, "Sqrt(Mul(x, x))", "Abs(x)"},
    {"square-of-sqrt", f64, "Mul(Sqrt(Abs(x)), Sqrt(Abs(x)))", "Abs(x)"},
    {"square-of-sqrt", f64, "Mul(Sqrt(x), Sqrt(x))"},
    {"tan-atan", f64, "Tan(Atan(x))", "x"},
    {"sinh-asinh", f64, "Sinh(Asinh(x))", "x"},
    {"asinh-sinh", f64, "Asinh(Sinh(x))", "x"},
    {"atanh-tanh", f64, "Atanh(Tanh(x))", "x"},
    {"round-integral", f32, "Floor(Ceil(x))", "Ceil(x)"},
    {"round-integral", f32, "Round(Round(x))", "Round(x)"},
    {"round-integral", f32, "Ceil(Cast<to=float32>(x:int32))", "Cast<to=float32>(x)"},
    {"round-integral", f32, "Floor(Sign(x))", "Sign(x)"},
    {"round-integral", f32, "Floor(Cast<to=float32>(x:float16))"},
};

std::vector<FormulaCase> arithmetic_cases() {
  std::vector<FormulaCase> all;
  for (const auto* part : {&identities, &arithmetic, &bits, &involutions})
    all.insert(all.end(), part->begin(), part->end());
  return all;
}

class ArithmeticRules : public ::testing::TestWithParam<FormulaCase> {};
TEST_P(ArithmeticRules, DoAsWritten) { check(GetParam()); }
INSTANTIATE_TEST_SUITE_P(All, ArithmeticRules, ::testing::ValuesIn(arithmetic_cases()));

TEST(ArithmeticRules, HaveACaseEach) {
  for (const auto& family : {passes::rules::identity_rules(), passes::rules::arithmetic_rules(),
                             passes::rules::involution_rules()})
    expect_a_case_for_each(family, arithmetic_cases());
}

}  // namespace
}  // namespace loopglass
