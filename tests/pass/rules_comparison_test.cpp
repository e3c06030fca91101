// The rules about logic, comparisons, choices and limits: each at work, and where it must hold
// back.
#include "passes/graph/rules/families.h"
#include "tests/pass/formula_case.h"

namespace loopglass {
namespace {

using namespace test;

const std::vector<FormulaCase> logic{
    {"and-true", truth, "And(x, 1)", "x"},
    {"and-true", truth, "And(1, x)", "x"},
    {"and-true", truth, "And(s, 1@4x12)"},
    {"and-false", truth, "And(x, 0)", "0"},
    {"and-self", truth, "And(x, x)", "x"},
    {"and-not-self", truth, "And(Not(x), x)", "0"},
    {"or-true", truth, "Or(x, 1)", "1"},
    {"or-false", truth, "Or(x, 0)", "x"},
    {"or-self", truth, "Or(x, x)", "x"},
    {"or-not-self", truth, "Or(x, Not(x))", "1"},
    {"and-absorbs-or", truth, "And(x, Or(y, x))", "x"},
    {"and-absorbs-or", truth, "And(s, Or(x, s))"},
    {"or-absorbs-and", truth, "Or(And(x, y), x)", "x"},
    {"and-of-nots", truth, "And(Not(x), Not(y))", "Not(Or(x, y))"},
    {"and-of-nots", truth, "And(Not(x), Not(y)); Not(x); Not(y)"},  // which would be more work
    {"or-of-nots", truth, "Or(Not(x), Not(y))", "Not(And(x, y))"},
    {"xor-false", truth, "Xor(x, 0)", "x"},
    {"xor-true", truth, "Xor(1, x)", "Not(x)"},
    {"xor-self", truth, "Xor(x, x)", "0"},
};

const std::vector<FormulaCase> order{
    {"equal-true", truth, "Equal(x, 1)", "x"},
    {"equal-true", i8, "Equal(x, 1)"},
    {"equal-false", truth, "Equal(0, x)", "Not(x)"},
    {"equal-self", f32, "Equal(x, x)", "1"},
    {"equal-self-integers", i8, "Equal(x, x)", "1"},
    {"equal-self-integers", truth, "Equal(x, x)", "1"},
    {"equal-self-integers", f32, "Equal(x, x)"},
    {"less-self", f32, "Less(x, x)", "0"},
    {"greater-self", i8, "Greater(x, x)", "0"},
    {"less-or-equal-self", f32, "LessOrEqual(x, x)", "1"},
    {"less-or-equal-self-integers", i8, "LessOrEqual(x, x)", "1"},
    {"greater-or-equal-self", f32, "GreaterOrEqual(x, x)", "1"},
    {"greater-or-equal-self-integers", u8, "GreaterOrEqual(x, x)", "1"},
    {"not-less", f32, "Not(Less(x, y))", "GreaterOrEqual(x, y)"},
    {"not-less-integers", i8, "Not(Less(x, y))", "GreaterOrEqual(x, y)"},
    {"not-less-integers", f32, "Not(Less(x, y))"},
    {"not-less-or-equal", f32, "Not(LessOrEqual(x, y))", "Greater(x, y)"},
    {"not-less-or-equal-integers", i8, "Not(LessOrEqual(x, y))", "Greater(x, y)"},
    {"not-greater", f32, "Not(Greater(x, y))", "LessOrEqual(x, y)"},
    {"not-greater-integers", u8, "Not(Greater(x, y))", "LessOrEqual(x, y)"},
    {"not-greater-or-equal", f32, "Not(GreaterOrEqual(x, y))", "Less(x, y)"},
    {"not-greater-or-equal-integers", i8, "Not(GreaterOrEqual(x, y))", "Less(x, y)"},
    {"unsigned-below-zero", u8, "Less(x, 0)", "0"},
    {"unsigned-below-zero", i8, "Less(x, 0)"},
    {"unsigned-not-below-zero", u8, "GreaterOrEqual(x, 0)", "1"},
};

const std::vector<FormulaCase> choices{
    {"where-true", f32, "Where(1:bool, x, y)", "x"},
    {"where-true", f32, "Where(1:bool, s, y)"},  // y makes the result larger
    {"where-false", f32, "Where(0:bool, x, y)", "y"},
    {"where-same", f32, "Where(x:bool, y, y)", "y"},
    {"where-same", f32, "Where(x:bool, s, s)"},
    {"where-not", f32, "Where(Not(x:bool), y, z)", "Where(x, z, y)"},
    {"where-of-truths", truth, "Where(x, 1, 0)", "x"},
    {"where-of-truths", i8, "Where(x:bool, 1, 0)"},
    {"where-of-untruths", truth, "Where(x, 0, 1)", "Not(x)"},
    {"where-within-true", f32, "Where(x:bool, Where(x:bool, y, z), Neg(y))", "Where(x, y, Neg(y))"},
    {"where-within-false", f32, "Where(x:bool, Neg(y), Where(x:bool, y, z))",
     "Where(x, Neg(y), z)"},
    {"where-greater", f32, "Where(Greater(x, y), x, y)", "Max(x, y)"},
    {"where-greater", f32, "Where(Greater(x, y), y, x)"},
    {"where-greater-integers", i8, "Where(Greater(x, y), x, y)", "Max(x, y)"},
    {"where-less", f32, "Where(Less(x, y), x, y)", "Min(x, y)"},
    {"where-less-integers", u8, "Where(Less(x, y), x, y)", "Min(x, y)"},
    {"where-negative-zero", f32, "Where(Less(x, 0), 0, x)", "Relu(x)"},
    {"where-negative-zero", i8, "Where(Less(x, 0), 0, x)", "Relu(x)"},
    {"where-positive-else-zero", f32, "Where(Greater(x, 0), x, 0)", "Relu(x)"},
    {"where-positive-else-zero-integers", i8, "Where(Greater(x, 0), x, 0)", "Relu(x)"},
    {"where-positive-else-zero-integers", u8, "Where(Greater(x, 0), x, 0)"},  // no Relu for those
};

const std::vector<FormulaCase> limits{
    {"max-self", f32, "Max(x, x)", "x"},
    {"min-self", i8, "Min(x, x)", "x"},
    {"max-zero", f32, "Max(x, 0)", "Relu(x)"},
    {"max-zero", i8, "Max(0, x)", "Relu(x)"},
    {"max-zero", u8, "Max(x, 0)"},
    {"max-absorbs-min", f32, "Max(x, Min(x, y))", "x"},
    {"max-absorbs-min-integers", i8, "Max(Min(y, x), x)", "x"},
    {"min-absorbs-max", f32, "Min(x, Max(x, y))", "x"},
    {"min-absorbs-max-integers", i8, "Min(x, Max(x, y))", "x"},
    {"max-of-negated", f32, "Max(Neg(x), Neg(y))", "Neg(Min(x, y))"},
    {"max-of-negated", i8, "Max(Neg(x), Neg(y))"},
    {"min-of-negated", f16, "Min(Neg(x), Neg(y))", "Neg(Max(x, y))"},
    {"max-of-sums", f32, "Max(Add(x, y), Add(z, x))", "Add(x, Max(y, z))"},
    {"max-of-sums", f32,
     "Max(Add(x, y), Add(x, z)); Add(x, y); Add(x, z)"},  // which would be more work
    {"max-of-sums", i8, "Max(Add(x, y), Add(x, z))"},
    {"min-of-sums", f16, "Min(Add(x, y), Add(x, z))", "Add(x, Min(y, z))"},
    {"limit-of-limit", f32, "Clip(Clip(x, -1, 5), 0.5, 7)", "Clip(x, 0.5, 5)"},
    {"limit-of-limit", f32, "Clip(Clip(x, -1, 1), 2, 7)", "Clip(x, 2, 2)"},
    {"limit-of-limit", f16, "Relu(Clip(x, -1, 5))", "Clip(x, 0, 5)"},
    {"limit-of-limit", f32, "Clip(Relu(x), -1, 6)", "Clip(x, 0, 6)"},
    {"limit-of-limit", f32, "Clip(Clip(x, -1, _), 0, _)", "Relu(x)"},
    {"limit-of-limit", i8, "Clip(Clip(x, -1, _), _, 3)", "Clip(x, -1, 3)"},
    {"limit-of-limit", f32, "Clip<max=6>(Clip<min=-1>(x))", "Clip(x, -1, 6)"},
    {"limit-of-limit", f32, "Clip(Clip(x, 5, -1), 0, 7)"},  // bounds out of order
    {"limit-without-effect", f32, "Relu(Sigmoid(x))", "Sigmoid(x)"},
    {"limit-without-effect", f32, "Relu(Relu(x))", "Relu(x)"},
    {"limit-without-effect", f32, "Clip(Sigmoid(x), 0, 1)", "Sigmoid(x)"},
    {"limit-without-effect", f32, "Clip(Sigmoid(x), 0, 0.5)"},
    {"limit-without-effect", u8, "Clip(x, 0, _)", "x"},
    {"limit-without-effect", i8, "Relu(Abs(x))"},  // of the least integer
    {"limit-without-effect", f32, "Relu(Abs(x))", "Abs(x)"},
    {"min-of-max", f32, "Min(Max(x, -1), 5)", "Clip(x, -1, 5)"},
    {"min-of-max", i8, "Min(5, Max(-1, x))", "Clip(x, -1, 5)"},
    {"min-of-max", f32, "Min(Max(x, 5), -1)", "Clip(x, 5, -1)"},
    {"min-of-max", f32, "Min(Max(x, -1@2x4x12), 5)"},
    {"flatten-max-min", f32, "Max(Max(x, y), z)", "Max(x, y, z)"},
    {"flatten-max-min", i8, "Min(x, Min(y, x))", "Min(x, y)"},
    {"flatten-max-min", f32, "Max(Max(x, y), z); Max(x, y)"},
    {"flatten-max-min", f32, "Max(Max(s, t), x)"},  // which would be more work
};

std::vector<FormulaCase> comparison_cases() {
  std::vector<FormulaCase> all;
  for (const auto* part : {&logic, &order, &choices, &limits})
    all.insert(all.end(), part->begin(), part->end());
  return all;
}

class ComparisonRules : public ::testing::TestWithParam<FormulaCase> {};
TEST_P(ComparisonRules, DoAsWritten) { check(GetParam()); }
INSTANTIATE_TEST_SUITE_P(All, ComparisonRules, ::testing::ValuesIn(comparison_cases()));

TEST(ComparisonRules, HaveACaseEach) {
  expect_a_case_for_each(passes::rules::comparison_rules(), comparison_cases());
}

}  // namespace
}  // namespace loopglass
