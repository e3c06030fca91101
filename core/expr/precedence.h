// How tightly the infix operators of the text form bind, for the printer and the parser. As in C,
// but that bit operators bind tighter than comparisons, so that `i & 1 == 0` reads as it looks.
#pragma once

#include "core/expr/expr.h"

namespace loopglass::expr::precedence {

inline constexpr int disjunction = 1, conjunction = 2, negation = 3, comparison = 4, bits_or = 5,
                     bits_xor = 6, bits_and = 7, shift = 8, sum = 9, product = 10, prefix = 11,
                     call = 12;

constexpr int of(BinaryOperator op) {
  switch (op) {
    case BinaryOperator::Or: return disjunction;
    case BinaryOperator::And: return conjunction;
    case BinaryOperator::Equal:
    case BinaryOperator::NotEqual:
    case BinaryOperator::Less:
    case BinaryOperator::LessEqual:
    case BinaryOperator::Greater:
    case BinaryOperator::GreaterEqual: return comparison;
    case BinaryOperator::BitOr: return bits_or;
    case BinaryOperator::BitXor: return bits_xor;
    case BinaryOperator::BitAnd: return bits_and;
    case BinaryOperator::ShiftLeft:
    case BinaryOperator::ShiftRight: return shift;
    case BinaryOperator::Add:
    case BinaryOperator::Sub: return sum;
    case BinaryOperator::Mul:
    case BinaryOperator::Div:
    case BinaryOperator::Mod:
    case BinaryOperator::FloorDiv:
    case BinaryOperator::FloorMod: return product;
    case BinaryOperator::Pow:
    case BinaryOperator::Min:
    case BinaryOperator::Max:
    case BinaryOperator::DotPairs:
    case BinaryOperator::DotQuads: return call;
  }
  __builtin_unreachable();
}

}  // namespace loopglass::expr::precedence
