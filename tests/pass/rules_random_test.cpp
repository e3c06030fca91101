// All rules of a class together on random formulas: what they leave means the same, to the last bit
// where the class is exact, and is a fixed point.
#include "tests/pass/formula_case.h"

#include <cstdlib>
#include <random>
#include <set>

namespace loopglass {
namespace {

using namespace test;

// A random formula over a set of operators: repeated letters and few numbers, so that rules find
// something to do.
class Writer {
 public:
  Writer(DataType type, std::uint32_t seed) : type_(type), random_(seed) {}

  std::string number(int depth) {
    if (depth == 0 || below(8) == 0) return leaf();
    if (type_ == DataType::Bool) return truth(depth);
    const std::string a = number(depth - 1), b = number(depth - 1);
    std::vector<std::string> choices{"Add(" + a + ", " + b + ")",
                                     "Sub(" + a + ", " + b + ")",
                                     "Mul(" + a + ", " + b + ")",
                                     "Max(" + a + ", " + b + ")",
                                     "Min(" + a + ", " + b + ")",
                                     "Abs(" + a + ")",
                                     "Sign(" + a + ")",
                                     "Add(" + a + ", " + few() + ")",
                                     "Mul(" + few() + ", " + a + ")",
                                     "Sub(" + a + ", " + few() + ")",
                                     "Sub(" + few() + ", " + a + ")",
                                     "Clip(" + a + ", 0, 3)",
                                     "Clip(" + a + ", _, 2)",
                                     "Where(" + relation(a, b) + ", " + a + ", " + b + ")",
                                     "Pow(" + a + ", " + std::to_string(below(4)) + ")"};
    if (!is_unsigned_integer(type_)) {
      choices.push_back("Neg(" + a + ")");
      choices.push_back("Relu(" + a + ")");
    }
    if (is_integer(type_)) {
      for (const char* op : {"Div", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Mod"})
        choices.push_back(std::string(op) + "(" + a + ", " + (below(2) == 0 ? b : few()) + ")");
      choices.push_back("BitwiseNot(" + a + ")");
    } else {
      for (const char* op : {"Floor", "Ceil", "Cos", "Exp", "Sigmoid"})
        choices.push_back(std::string(op) + "(" + a + ")");
      choices.push_back("Div(" + a + ", 4)");
    }
    return choices[below(choices.size())];
  }

 private:
  std::size_t below(std::size_t count) { return random_() % count; }
  std::string few() { return std::to_string(below(4)) + (below(6) == 0 ? "@4x12" : ""); }
  std::string leaf() {
    if (below(5) == 0) return type_ == DataType::Bool ? std::to_string(below(2)) : few();
    return std::string(1, "xxyyzst"[below(7)]);
  }
  std::string relation(const std::string& a, const std::string& b) {
    static const char* relations[]{"Less", "LessOrEqual", "Greater", "GreaterOrEqual", "Equal"};
    const std::string plain =
        std::string(relations[below(5)]) + "(" + a + ", " + (below(3) == 0 ? few() : b) + ")";
    return below(3) == 0 ? "Not(" + plain + ")" : plain;
  }
  std::string truth(int depth) {
    const std::string a = number(depth - 1), b = number(depth - 1);
    const std::string choices[]{"And(" + a + ", " + b + ")",
                                "Or(" + a + ", " + b + ")",
                                "Xor(" + a + ", " + b + ")",
                                "Equal(" + a + ", " + b + ")",
                                "Not(" + a + ")",
                                "Where(" + a + ", " + b + ", " + a + ")"};
    return choices[below(std::size(choices))];
  }

  DataType type_;
  std::mt19937 random_;
};

// How many formulas of each type: LOOPGLASS_RANDOM_GRAPHS, or enough for every day.
std::uint32_t formula_count() {
  const char* wanted = std::getenv("LOOPGLASS_RANDOM_GRAPHS");
  return wanted != nullptr ? static_cast<std::uint32_t>(std::max(1, std::atoi(wanted))) : 400;
}

class RandomFormulas : public ::testing::TestWithParam<DataType> {};

TEST_P(RandomFormulas, MeanTheSameAndComeToRest) {
  std::set<std::string> fired;
  for (std::uint32_t seed = 0; seed < formula_count(); ++seed) {
    const std::string text = Writer(GetParam(), seed).number(4);
    const graph::Graph before = formula(text, GetParam());
    for (const char* pass : {"simplify", "reassociate", "assume-finite-values"}) {
      const pass::Step<graph::Graph> step = applied(pass, before);
      EXPECT_TRUE(codes(step).empty() || codes(step).front() != "RULES_DO_NOT_SETTLE") << text;
      for (const pass::Rewrite& rewrite : step.rewrites) fired.insert(rewrite.rule);
      if (step.pass.numerics == pass::Numerics::Exact || is_integer(GetParam()))
        expect_same_numbers(before, *step.result, pass::Numerics::Exact);
      EXPECT_FALSE(applied(pass, *step.result).changed) << text;
      if (HasFailure()) FAIL() << pass << " on " << name(GetParam()) << ": " << text;
    }
  }
  EXPECT_GE(fired.size(), GetParam() == DataType::Bool ? 10u : 25u)
      << "few rules had anything to do";
}

INSTANTIATE_TEST_SUITE_P(All, RandomFormulas, ::testing::Values(f32, f16, i8, u8, i64, truth),
                         [](const auto& info) { return std::string(name(info.param)); });

}  // namespace
}  // namespace loopglass
