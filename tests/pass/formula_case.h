// Rewrite rules tested on graphs of one line (formula.h): what a rule makes of it, or that it
// leaves it alone; and that both mean the same, on numbers chosen to break what its class does not
// allow.
#pragma once

#include "tests/pass/formula.h"
#include "tests/pass/rule_case.h"

namespace loopglass::test {

inline constexpr auto f16 = DataType::Float16, f32 = DataType::Float32, f64 = DataType::Float64,
                      i8 = DataType::Int8, i32 = DataType::Int32, i64 = DataType::Int64,
                      u8 = DataType::UInt8, u32 = DataType::UInt32, truth = DataType::Bool;

struct FormulaCase {
  const char* rule;
  DataType type;
  const char* before;
  const char* after = nullptr;  // nullptr: the rule does not apply
};
void PrintTo(const FormulaCase& test, std::ostream* out);

void check(const FormulaCase& test);
// On random inputs: everyday numbers and a tolerance for what reassociates, else awkward ones and
// none.
void expect_same_numbers(const graph::Graph& before, const graph::Graph& after,
                         pass::Numerics numerics);
// A rule without a case that shows it at work is not known to be right.
void expect_a_case_for_each(const passes::rules::RuleTable& rules,
                            std::span<const FormulaCase> cases);

}  // namespace loopglass::test
