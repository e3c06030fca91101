// The rules about order, grouping and cheaper operators: each at work, and where it must hold back.
#include "passes/graph/rules/families.h"
#include "tests/pass/formula_case.h"

namespace loopglass {
namespace {

using namespace test;

const std::vector<FormulaCase> constants{
    {"constant-last", f32, "Add(2, x)", "Add(x, 2)"},
    {"constant-last", truth, "Xor(1, x)", "Xor(x, 1)"},
    {"constant-last", f32, "Max(2, x)", "Max(x, 2)"},
    {"constant-last", f32, "Sub(2, x)"},
    {"constant-last", f32, "Max(2, x, y)"},
    {"add-constants", f64, "Add(Add(x, 2), 3)", "Add(x, 5)"},
    {"add-constants", f64, "Add(3, Add(2, x))", "Add(x, 5)"},
    {"add-constants", f64, "Add(Add(x, 2), 3); Add(x, 2)", "Add(x, 5); Add(x, 2)"},
    {"add-constants-integers", i8, "Add(Add(x, 100), 100)", "Add(x, -56)"},
    {"add-constants-integers", f64, "Add(Add(x, 2), 3)"},
    {"multiply-constants", f64, "Mul(Mul(x, 2), 3)", "Mul(x, 6)"},
    {"multiply-constants-integers", u8, "Mul(Mul(x, 20), 30)", "Mul(x, 88)"},
    {"subtract-then-add-constants", f64, "Add(Sub(x, 2), 3)", "Add(x, 1)"},
    {"subtract-then-add-constants-integers", u8, "Add(Sub(x, 3), 2)", "Add(x, 255)"},
    {"add-then-subtract-constants", f64, "Sub(Add(x, 2), 3)", "Add(x, -1)"},
    {"add-then-subtract-constants-integers", i8, "Sub(Add(x, 2), 3)", "Add(x, -1)"},
    {"subtract-constants", f64, "Sub(Sub(x, 2), 3)", "Sub(x, 5)"},
    {"subtract-constants-integers", i8, "Sub(Sub(x, 2), 3)", "Sub(x, 5)"},
    {"subtract-from-constant-then-add", f64, "Add(Sub(2, x), 3)", "Sub(5, x)"},
    {"subtract-from-constant-then-add-integers", i8, "Add(Sub(2, x), 3)", "Sub(5, x)"},
    {"subtract-from-constant-then-subtract", f64, "Sub(Sub(2, x), 3)", "Sub(-1, x)"},
    {"subtract-from-constant-then-subtract-integers", i8, "Sub(Sub(2, x), 3)", "Sub(-1, x)"},
    {"constant-minus-sum", f64, "Sub(2, Add(x, 3))", "Sub(-1, x)"},
    {"constant-minus-sum-integers", u8, "Sub(2, Add(x, 3))", "Sub(255, x)"},
    {"constant-minus-difference", f64, "Sub(2, Sub(x, 3))", "Sub(5, x)"},
    {"constant-minus-difference-integers", i8, "Sub(2, Sub(x, 3))", "Sub(5, x)"},
    {"constant-minus-constant-difference", f64, "Sub(2, Sub(3, x))", "Add(x, -1)"},
    {"constant-minus-constant-difference-integers", i8, "Sub(2, Sub(3, x))", "Add(x, -1)"},
    {"divide-constants", f64, "Div(Div(x, 2), 3)", "Div(x, 6)"},
    {"divide-constants", i8, "Div(Div(x, 2), 3)"},
    {"divide-constants", f64, "Div(Div(x, 0), 3)"},
    {"multiply-then-divide-constants", f64, "Div(Mul(x, 6), 3)", "Mul(x, 2)"},
    {"multiply-then-divide-constants", i8, "Div(Mul(x, 6), 3)"},
    {"divide-then-multiply-constants", f64, "Mul(Div(x, 2), 6)", "Mul(x, 3)"},
    {"divide-then-multiply-constants", i8, "Mul(Div(x, 2), 6)"},
    {"bitwise-and-constants", i8, "BitwiseAnd(BitwiseAnd(x, 6), 3)", "BitwiseAnd(x, 2)"},
    {"bitwise-or-constants", i8, "BitwiseOr(BitwiseOr(x, 6), 3)", "BitwiseOr(x, 7)"},
    {"bitwise-xor-constants", i8, "BitwiseXor(BitwiseXor(x, 6), 3)", "BitwiseXor(x, 5)"},
    {"constant-out-of-sum", f64, "Add(Add(x, 2), y)", "Add(Add(x, y), 2)"},
    {"constant-out-of-sum", f64, "Add(Add(x, 2), y); Add(x, 2)"},
    {"constant-out-of-sum", f64, "Add(Add(s, 2), x)"},              // s is small, x is not
    {"constant-out-of-sum", f64, "Add(Add(MatMul(x, x2), 2), y)"},  // a bias, which stays with it
    {"constant-out-of-sum-integers", i8, "Add(y, Add(x, 2))", "Add(Add(x, y), 2)"},
    {"constant-out-of-product", f64, "Mul(Mul(x, 2), y)", "Mul(Mul(x, y), 2)"},
    {"constant-out-of-product-integers", i8, "Mul(Mul(x, 2), y)", "Mul(Mul(x, y), 2)"},
    {"constant-out-of-minuend", f64, "Sub(Add(x, 2), y)", "Add(Sub(x, y), 2)"},
    {"constant-out-of-minuend-integers", i8, "Sub(Add(x, 2), y)", "Add(Sub(x, y), 2)"},
    {"constant-out-of-subtrahend", f64, "Sub(x, Add(y, 2))", "Sub(Sub(x, y), 2)"},
    {"constant-out-of-subtrahend-integers", i8, "Sub(x, Add(y, 2))", "Sub(Sub(x, y), 2)"},
    {"constant-out-of-difference", f64, "Add(Sub(x, 2), y)", "Sub(Add(x, y), 2)"},
    {"constant-out-of-difference-integers", i8, "Add(Sub(x, 2), y)", "Sub(Add(x, y), 2)"},
};

const std::vector<FormulaCase> shapes{
    {"add-small-first", f64, "Add(Add(x, s), t)", "Add(x, Add(s, t))"},
    {"add-small-first", f64, "Add(s, Add(x, t))", "Add(x, Add(t, s))"},
    {"add-small-first", f64, "Add(Add(x, y), z)"},  // all of one shape
    {"add-small-first", f64, "Add(Add(x, s), t); Add(x, s)"},
    {"add-small-first-integers", i8, "Add(Add(x, s), t)", "Add(x, Add(s, t))"},
    {"multiply-small-first", f64, "Mul(Mul(x, s), t)", "Mul(x, Mul(s, t))"},
    {"multiply-small-first-integers", i8, "Mul(Mul(x, s), t)", "Mul(x, Mul(s, t))"},
    {"subtract-small-first", f64, "Sub(Sub(x, s), t)", "Sub(x, Add(s, t))"},
    {"subtract-small-first-integers", i8, "Sub(Sub(x, s), t)", "Sub(x, Add(s, t))"},
    {"add-difference-small-first", f64, "Sub(Add(x, s), t)", "Add(x, Sub(s, t))"},
    {"add-difference-small-first-integers", i8, "Sub(Add(x, s), t)", "Add(x, Sub(s, t))"},
    {"max-small-first", f32, "Max(Max(x, s), t)", "Max(x, Max(s, t))"},
    {"min-small-first", i8, "Min(Min(x, s), t)", "Min(x, Min(s, t))"},
    {"and-small-first", truth, "And(And(x, s), t)", "And(x, And(s, t))"},
    {"or-small-first", truth, "Or(Or(x, s), t)", "Or(x, Or(s, t))"},
};

const std::vector<FormulaCase> factors{
    {"factor-sum", f64, "Add(Mul(x, y), Mul(z, x))", "Mul(x, Add(y, z))"},
    {"factor-sum", f64, "Add(Mul(x, 2), Mul(x, 3))", "Mul(x, 5)"},
    {"factor-sum", f64, "Add(Mul(x, y), Mul(x, z)); Mul(x, y); Mul(x, z)"},
    {"factor-sum-integers", i8, "Add(Mul(y, x), Mul(x, z))", "Mul(x, Add(y, z))"},
    {"factor-sum-integers", f64, "Add(Mul(x, y), Mul(x, z))"},
    {"factor-difference", f64, "Sub(Mul(x, y), Mul(x, z))", "Mul(x, Sub(y, z))"},
    {"factor-difference-integers", u8, "Sub(Mul(x, y), Mul(x, z))", "Mul(x, Sub(y, z))"},
    {"factor-sum-with-self", f64, "Add(x, Mul(x, 2))", "Mul(x, 3)"},
    {"factor-sum-with-self-integers", i8, "Add(Mul(x, 127), x)", "Mul(x, -128)"},
    {"factor-difference-with-self", f64, "Sub(Mul(x, 3), x)", "Mul(x, 2)"},
    {"factor-difference-with-self-integers", i8, "Sub(Mul(x, 3), x)", "Mul(x, 2)"},
    {"factor-self-minus-product", f64, "Sub(x, Mul(x, 3))", "Mul(x, -2)"},
    {"factor-self-minus-product-integers", i8, "Sub(x, Mul(x, 3))", "Mul(x, -2)"},
    {"add-quotients", f64, "Add(Div(x, z), Div(y, z))", "Div(Add(x, y), z)"},
    {"add-quotients", i8, "Add(Div(x, z), Div(y, z))"},
    {"subtract-quotients", f64, "Sub(Div(x, z), Div(y, z))", "Div(Sub(x, y), z)"},
    {"multiply-exponentials", f64, "Mul(Exp(x), Exp(y))", "Exp(Add(x, y))"},
    {"divide-exponentials", f64, "Div(Exp(x), Exp(y))", "Exp(Sub(x, y))"},
    {"factor-matrix-left", f64, "Add(MatMul(s, x2), MatMul(s, y2))", "MatMul(s, Add(x2, y2))"},
    {"factor-matrix-left-integers", i32, "Add(MatMul(s, x2), MatMul(s, y2))",
     "MatMul(s, Add(x2, y2))"},
    {"factor-matrix-left", f64, "Add(MatMul(s, x2), MatMul(s, y2)); MatMul(s, x2)"},
    {"factor-matrix-right", f64, "Add(MatMul(x, y2), MatMul(y, y2))", "MatMul(Add(x, y), y2)"},
    {"factor-matrix-right-integers", i32, "Add(MatMul(x, y2), MatMul(y, y2))",
     "MatMul(Add(x, y), y2)"},
    {"factor-matrix-right", f64, "Add(MatMul(x, y2), MatMul(s, y2))"},  // not of one shape
};

const std::vector<FormulaCase> strength{
    {"square", f64, "Pow(x, 2)", "Mul(x, x)"},
    {"square", f64, "Pow(x, 2:int64)", "Mul(x, x)"},
    {"square", f64, "Pow(s, 2@4x12)"},
    {"square-integers", i8, "Pow(x, 2)", "Mul(x, x)"},
    {"square-integers", i32, "Pow(x, 2:int8)", "Mul(x, x)"},
    {"square-integers", i8, "Pow(x, 2:float32)"},  // which saturates
    {"cube", f64, "Pow(x, 3)", "Mul(Mul(x, x), x)"},
    {"cube-integers", i8, "Pow(x, 3)", "Mul(Mul(x, x), x)"},
    {"power-of-a-half", f64, "Pow(x, 0.5)", "Sqrt(x)"},
    {"power-of-a-half", i8, "Pow(x, 0.5:float32)"},
    {"power-of-minus-one", f64, "Pow(x, -1)", "Reciprocal(x)"},
    {"power-of-minus-one", i8, "Pow(x, -1)"},
    {"one-over", f32, "Div(1, x)", "Reciprocal(x)"},
    {"one-over", f16, "Div(1, x)", "Reciprocal(x)"},
    {"one-over", i8, "Div(1, x)"},
    {"divide-by-power-of-two", f32, "Div(x, 8)", "Mul(x, 0.125)"},
    {"divide-by-power-of-two", f16, "Div(x, [1, 2, 4, 8, 16, 32, 64, 128, 256, -0.5, 0.25, 1024])",
     "Mul(x, [1, 0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125, 0.00390625, -2, 4, "
     "0.0009765625])"},
    {"divide-by-power-of-two", f32, "Div(x, 3)"},
    {"divide-by-power-of-two", f32, "Div(x, 0)"},
    {"divide-by-power-of-two", f16, "Div(x, 32768)"},  // its reciprocal is subnormal
    {"divide-by-power-of-two", i8, "Div(x, 8)"},
    {"divide-by-constant", f64, "Div(x, 5)", "Mul(x, 0.2)"},
    {"divide-by-constant", f64, "Div(x, 0)"},
    {"divide-by-constant", f64, "Div(x, y)"},
    {"multiply-by-reciprocal", f64, "Mul(x, Reciprocal(y))", "Div(x, y)"},
    {"multiply-by-reciprocal", f64, "Mul(x, Reciprocal(3))"},
    {"divide-by-reciprocal", f64, "Div(x, Reciprocal(y))", "Mul(x, y)"},
    {"reciprocal-of-quotient", f64, "Reciprocal(Div(x, y))", "Div(y, x)"},
    {"sum-of-two", f16, "Sum(x, s)", "Add(x, s)"},
    {"sum-of-two", f16, "Sum(x, y, z)"},
    {"sigmoid", f64, "Reciprocal(Add(1, Exp(Neg(x))))", "Sigmoid(x)"},
    {"sigmoid-as-quotient", f64, "Div(1, Add(Exp(Neg(x)), 1))", "Sigmoid(x)"},
    {"softplus", f64, "Log(Add(Exp(x), 1))", "Softplus(x)"},
    {"softsign", f64, "Div(x, Add(1, Abs(x)))", "Softsign(x)"},
    {"mish", f64, "Mul(x, Tanh(Softplus(x)))", "Mish(x)"},
    {"mish", f64, "Mul(x, Tanh(Softplus(y)))"},
    {"gelu", f64, "Mul(Mul(x, Add(Erf(Mul(x, 0.7071067811865476)), 1)), 0.5)", "Gelu(x)"},
    {"gelu", f32, "Mul(0.5, Mul(Add(1, Erf(Mul(0.70710677, x))), x))", "Gelu(x)"},
    {"gelu", f32, "Mul(Mul(x, Add(Erf(Mul(x, 0.707)), 1)), 0.5)"},
    {"hard-swish", f32, "Mul(x, HardSigmoid<alpha=0.16666667>(x))", "HardSwish(x)"},
    {"hard-swish", f32, "Mul(x, HardSigmoid(x))"},
    {"hard-swish-of-clip", f32, "Mul(Mul(x, Clip(Add(x, 3), 0, 6)), 0.16666667)", "HardSwish(x)"},
    {"hard-swish-of-clip", f32, "Mul(Mul(x, Clip(Add(x, 3), 0, 6)), 0.2)"},
    {"divide-by-shifting", u8, "Div(x, 8)", "BitShift<direction=RIGHT>(x, 3)"},
    {"divide-by-shifting", u32, "Div(x, 1@2x4x12)", "BitShift<direction=RIGHT>(x, 0)"},
    {"divide-by-shifting", u8, "Div(x, 6)"},
    {"divide-by-shifting", i8, "Div(x, 8)"},
    {"remainder-by-masking", u8, "Mod(x, 8)", "BitwiseAnd(x, 7)"},
    {"remainder-by-masking", i8, "Mod(x, 8)"},
    {"uniform-slope", f16, "PRelu(x, 0.1)", "LeakyRelu<alpha=0.0999755859375>(x)"},
    {"uniform-slope", f32, "PRelu(x, s)"},
    {"uniform-slope", i8, "PRelu(x, 2)"},
    {"no-slope", f32, "LeakyRelu<alpha=0>(x)", "Relu(x)"},
    {"no-slope", f32, "LeakyRelu(x)"},
};

std::vector<FormulaCase> regrouping_cases() {
  std::vector<FormulaCase> all;
  for (const auto* part : {&constants, &shapes, &factors, &strength})
    all.insert(all.end(), part->begin(), part->end());
  return all;
}

class RegroupingRules : public ::testing::TestWithParam<FormulaCase> {};
TEST_P(RegroupingRules, DoAsWritten) { check(GetParam()); }
INSTANTIATE_TEST_SUITE_P(All, RegroupingRules, ::testing::ValuesIn(regrouping_cases()));

TEST(RegroupingRules, HaveACaseEach) {
  for (const auto& family : {passes::rules::regrouping_rules(), passes::rules::strength_rules()})
    expect_a_case_for_each(family, regrouping_cases());
}

}  // namespace
}  // namespace loopglass
