// Arithmetic operations a program performs: what GFLOP/s are counted in.
#pragma once

#include "core/te/te.h"

#include <map>

namespace loopglass::te {

// One for every arithmetic operator or function applied to elements and one for every combination
// of a reduction (so a multiply-accumulate counts two); index arithmetic, comparisons and
// conversions do not count, and of a select the costlier branch does. Symbolic extents count as 1.
std::int64_t flops(const Program& program);

// The same of one element's expression.
std::int64_t operations(const Expr& element);

// Those of each type that they are done in.
std::map<DataType, std::int64_t> operations_by_type(const Expr& element);

// Those among them that take many instructions, or a division's time (core/expr/operators.h).
std::int64_t functions(const Program& program);
std::int64_t functions(const Expr& element);

}  // namespace loopglass::te
