#include "tests/pass/formula_case.h"

#include <cmath>
#include <random>

namespace loopglass::test {

using RuleClass = pass::Numerics;

namespace {

// Where floating point and integers are unlike the numbers of a textbook.
template <class T>
std::vector<T> awkward(bool finite) {
  if constexpr (std::is_same_v<T, bool>) {
    return {false, true};
  } else if constexpr (std::is_integral_v<T>) {
    using Limits = std::numeric_limits<T>;
    return {0,
            1,
            2,
            3,
            7,
            100,
            T(-1),
            T(-2),
            T(-7),
            Limits::min(),
            T(Limits::min() + 1),
            Limits::max()};
  } else {
    const double most = std::is_same_v<T, Float16> ? 65504 : std::numeric_limits<T>::max();
    const double least = std::is_same_v<T, Float16> ? 0x1p-14 : std::numeric_limits<T>::min();
    std::vector<double> numbers{0,    -0.0,  1,     -1,         0.5,         -0.5,  1.5,
                                2.5,  -2.5,  3,     -7.3,       0.1,         100.7, 1000,
                                most, -most, least, -least / 4, least * 1.5, 12.34};
    if (!finite)
      numbers.insert(numbers.end(), {std::numeric_limits<double>::infinity(),
                                     -std::numeric_limits<double>::infinity(), std::nan("")});
    return {numbers.begin(), numbers.end()};
  }
}

Tensor awkward_tensor(const TensorType& type, bool finite, std::uint32_t seed) {
  Tensor tensor(type);
  std::mt19937 random(seed);
  visit_type(type.type, [&](auto zero) {
    const auto numbers = awkward<decltype(zero)>(finite);
    for (auto& element : tensor.as<decltype(zero)>()) element = numbers[random() % numbers.size()];
  });
  return tensor;
}

// Numbers of everyday size, for results that are compared with a tolerance; not close to zero.
Tensor everyday_tensor(const TensorType& type, std::uint32_t seed) {
  if (!is_float(type.type)) return awkward_tensor(type, true, seed);
  Tensor tensor(type);
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> magnitude(0.25, 4);
  visit_type(type.type, [&](auto zero) {
    for (auto& element : tensor.as<decltype(zero)>())
      element =
          static_cast<decltype(zero)>(random() % 2 == 0 ? magnitude(random) : -magnitude(random));
  });
  return tensor;
}

}  // namespace

void expect_same_numbers(const graph::Graph& before, const graph::Graph& after, RuleClass kind) {
  for (std::uint32_t seed = 1; seed <= 8; ++seed) {
    std::vector<Tensor> inputs;
    for (const graph::ValueId input : before.inputs()) {
      const TensorType& type = before.value(input).type;
      const auto own_seed = static_cast<std::uint32_t>(seed * 100 + inputs.size());
      inputs.push_back(kind == RuleClass::Reassociating
                           ? everyday_tensor(type, own_seed)
                           : awkward_tensor(type, kind == RuleClass::FiniteOnly, own_seed));
    }
    const auto expected = loop::interpret(before, inputs), actual = loop::interpret(after, inputs);
    ASSERT_TRUE(expected) << to_string(expected.error());
    ASSERT_TRUE(actual) << to_string(actual.error());
    for (std::size_t i = 0; i < expected->size(); ++i) {
      double tolerance = 0;
      if (kind == RuleClass::Reassociating && is_float((*expected)[i].data_type()))
        tolerance = (*expected)[i].data_type() == DataType::Float64 ? 1e-10 : 1e-4;
      const auto same = runtime::compare((*actual)[i], (*expected)[i], tolerance, tolerance);
      ASSERT_TRUE(same) << same.error().what << "\n"
                        << to_formula(before) << "\n"
                        << to_formula(after);
    }
  }
}

void PrintTo(const FormulaCase& test, std::ostream* out) {
  *out << test.rule << " on " << name(test.type) << ": " << test.before;
}

void check(const FormulaCase& test) {
  const passes::rules::Rule* rule = &rule_named(test.rule);
  const graph::Graph before = formula(test.before, test.type);
  pass::Report report, again;
  const graph::Graph after = rewritten(before, {&rule, 1}, report);
  EXPECT_EQ(to_formula(after), test.after != nullptr ? test.after : to_formula(before));
  EXPECT_EQ(report.rewrites.empty(), test.after == nullptr);
  for (const pass::Rewrite& rewrite : report.rewrites) {
    EXPECT_EQ(rewrite.rule, test.rule);
    EXPECT_FALSE(rewrite.consumed.empty());
  }
  expect_same_numbers(before, after, rule->kind);
  rewritten(after, {&rule, 1}, again);
  EXPECT_TRUE(again.rewrites.empty()) << "not a fixed point: " << to_formula(after);
}

void expect_a_case_for_each(const passes::rules::RuleTable& rules,
                            std::span<const FormulaCase> cases) {
  for (const passes::rules::Rule& rule : rules)
    EXPECT_TRUE(std::ranges::any_of(
        cases,
        [&](const FormulaCase& test) { return test.rule == rule.name && test.after != nullptr; }))
        << "no case for " << rule.name;
}

}  // namespace loopglass::test
