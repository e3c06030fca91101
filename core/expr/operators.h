// What scalar operators cost, in kinds: those of one kind take about as long as one another.
#pragma once

#include "core/expr/expr.h"

namespace loopglass::expr {

// An instruction or two; a division; many instructions, a polynomial for instance.
enum class Work : std::uint8_t { Simple, Division, Function };

constexpr Work work(UnaryOperator op) {
  using enum UnaryOperator;
  switch (op) {
    case Negate:
    case Not:
    case BitNot:
    case Abs:
    case Sign:
    case Floor:
    case Ceil:
    case Trunc:
    case RoundEven:
    case IsNan:
    case IsInf: return Work::Simple;
    case Sqrt:
    case Reciprocal: return Work::Division;
    case Exp:
    case Log:
    case Erf:
    case Sin:
    case Cos:
    case Tan:
    case Asin:
    case Acos:
    case Atan:
    case Sinh:
    case Cosh:
    case Tanh:
    case Asinh:
    case Acosh:
    case Atanh: return Work::Function;
  }
  __builtin_unreachable();
}

constexpr Work work(BinaryOperator op) {
  using enum BinaryOperator;
  switch (op) {
    case Add:
    case Sub:
    case Mul:
    case FloorDiv:  // of indices, by what is nearly always a constant
    case FloorMod:
    case Min:
    case Max:
    case And:
    case Or:
    case BitAnd:
    case BitOr:
    case BitXor:
    case ShiftLeft:
    case ShiftRight:
    case DotPairs:
    case DotQuads:
    case Equal:
    case NotEqual:
    case Less:
    case LessEqual:
    case Greater:
    case GreaterEqual: return Work::Simple;
    case Div:
    case Mod: return Work::Division;
    case Pow: return Work::Function;
  }
  __builtin_unreachable();
}

}  // namespace loopglass::expr
