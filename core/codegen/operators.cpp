#include "core/codegen/operators.h"

#include "core/codegen/dot_products.h"
#include "core/support/check.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>

#include <cmath>

namespace loopglass::codegen {
namespace {

using expr::BinaryOperator;
using expr::UnaryOperator;
using llvm::IRBuilderBase;
using llvm::Type;
using llvm::Value;

Value* integer_like(Type* type, std::int64_t value) {
  return llvm::ConstantInt::get(type, static_cast<std::uint64_t>(value), true);
}
Value* float_like(Type* type, double value) { return llvm::ConstantFP::get(type, value); }

// A constant of which no lane is NaN.
bool is_ordered_constant(Value* value) {
  auto* constant = llvm::dyn_cast<llvm::Constant>(value);
  if (!constant) return false;
  if (constant->getType()->isVectorTy()) constant = constant->getSplatValue();
  auto* real = llvm::dyn_cast_or_null<llvm::ConstantFP>(constant);
  return real && !real->isNaN();
}

// NaN in either operand gives NaN; of two equal operands (+0, -0) the right one is taken.
Value* emit_float_extremum(IRBuilderBase& b, bool maximum, Value* left, Value* right) {
  if (is_ordered_constant(left)) {
    Value* takes_left = maximum ? b.CreateFCmpOGT(left, right) : b.CreateFCmpOLT(left, right);
    return b.CreateSelect(takes_left, left, right);
  }
  if (is_ordered_constant(right)) {
    Value* takes_left = maximum ? b.CreateFCmpUGT(left, right) : b.CreateFCmpULT(left, right);
    return b.CreateSelect(takes_left, left, right);
  }
  Value* takes_left = maximum ? b.CreateFCmpOGT(left, right) : b.CreateFCmpOLT(left, right);
  Value* ordered = b.CreateSelect(takes_left, left, right);
  return b.CreateSelect(b.CreateFCmpUNO(left, left), left, ordered);
}

// Quotient and remainder without traps: by zero 0, the least value by -1 wraps.
struct Division {
  Value *quotient, *remainder;
};
Division emit_division(IRBuilderBase& b, bool is_signed, Value* left, Value* right) {
  Type* type = left->getType();
  Value* zero = integer_like(type, 0);
  Value* one = integer_like(type, 1);
  auto divide = [&](Value* divisor) -> Division {
    if (is_signed) return {b.CreateSDiv(left, divisor), b.CreateSRem(left, divisor)};
    return {b.CreateUDiv(left, divisor), b.CreateURem(left, divisor)};
  };
  auto* constant = llvm::dyn_cast<llvm::Constant>(right);
  if (constant && type->isVectorTy()) constant = constant->getSplatValue();
  if (auto* known = llvm::dyn_cast_or_null<llvm::ConstantInt>(constant)) {
    if (known->isZero()) return {zero, zero};
    if (!is_signed || !known->isMinusOne()) return divide(right);
    return {b.CreateNeg(left), zero};
  }
  Value* by_zero = b.CreateICmpEQ(right, zero);
  Value* by_minus_one = is_signed ? b.CreateICmpEQ(right, integer_like(type, -1)) : nullptr;
  Value* special = is_signed ? b.CreateOr(by_zero, by_minus_one) : by_zero;
  Division result = divide(b.CreateSelect(special, one, right));
  // Divided by one instead: the remainder is 0 already.
  if (is_signed) result.quotient = b.CreateSelect(by_minus_one, b.CreateNeg(left), result.quotient);
  result.quotient = b.CreateSelect(by_zero, zero, result.quotient);
  return result;
}

// Whether the remainder has to move to the divisor's sign.
Value* emit_sign_differs(IRBuilderBase& b, Value* remainder, Value* divisor) {
  Value* zero = integer_like(remainder->getType(), 0);
  return b.CreateAnd(b.CreateICmpNE(remainder, zero),
                     b.CreateICmpSLT(b.CreateXor(remainder, divisor), zero));
}

// floor(left / 2^k) and its remainder are a shift and a mask.
bool is_positive_power_of_two(Value* value) {
  auto* constant = llvm::dyn_cast<llvm::Constant>(value);
  if (constant && value->getType()->isVectorTy()) constant = constant->getSplatValue();
  auto* known = llvm::dyn_cast_or_null<llvm::ConstantInt>(constant);
  return known && known->getValue().isPowerOf2() && !known->isNegative();
}
Value* log2_of(Value* power) {
  auto* constant = llvm::cast<llvm::Constant>(power);
  if (power->getType()->isVectorTy()) constant = constant->getSplatValue();
  return integer_like(power->getType(),
                      llvm::cast<llvm::ConstantInt>(constant)->getValue().logBase2());
}

Value* emit_floor_div(IRBuilderBase& b, bool is_signed, Value* left, Value* right) {
  if (!is_signed) return emit_division(b, false, left, right).quotient;
  if (is_positive_power_of_two(right)) return b.CreateAShr(left, log2_of(right));
  Division d = emit_division(b, true, left, right);
  Value* adjust = b.CreateSExt(emit_sign_differs(b, d.remainder, right), left->getType());
  return b.CreateAdd(d.quotient, adjust);
}

Value* emit_floor_mod(IRBuilderBase& b, bool is_signed, Value* left, Value* right) {
  if (!is_signed) return emit_division(b, false, left, right).remainder;
  if (is_positive_power_of_two(right))
    return b.CreateAnd(left, b.CreateSub(right, integer_like(right->getType(), 1)));
  Value* remainder = emit_division(b, true, left, right).remainder;
  Value* moved = b.CreateAdd(remainder, right);
  return b.CreateSelect(emit_sign_differs(b, remainder, right), moved, remainder);
}

// A shift by the width or more, or by a negative amount, gives 0.
Value* emit_shift(IRBuilderBase& b, bool to_the_left, bool is_signed, Value* left, Value* right) {
  Type* type = left->getType();
  Value* fits = b.CreateICmpULT(right, integer_like(type, type->getScalarSizeInBits()));
  Value* zero = integer_like(type, 0);
  Value* amount = b.CreateSelect(fits, right, zero);
  Value* shifted = to_the_left ? b.CreateShl(left, amount)
                   : is_signed ? b.CreateAShr(left, amount)
                               : b.CreateLShr(left, amount);
  return b.CreateSelect(fits, shifted, zero);
}

Value* emit_float_binary(IRBuilderBase& b, BinaryOperator op, DataType type, Value* left,
                         Value* right) {
  using enum BinaryOperator;
  switch (op) {
    case Add: return b.CreateFAdd(left, right);
    case Sub: return b.CreateFSub(left, right);
    case Mul: return b.CreateFMul(left, right);
    case Div: return b.CreateFDiv(left, right);
    case Mod: return emit_float_remainder(b, type, left, right);
    case FloorDiv: return b.CreateUnaryIntrinsic(llvm::Intrinsic::floor, b.CreateFDiv(left, right));
    case FloorMod: {
      Value* zero = float_like(left->getType(), 0);
      Value* remainder = emit_float_remainder(b, type, left, right);
      Value* differs = b.CreateXor(b.CreateFCmpOLT(remainder, zero), b.CreateFCmpOLT(right, zero));
      Value* moves = b.CreateAnd(b.CreateFCmpUNE(remainder, zero), differs);
      return b.CreateSelect(moves, b.CreateFAdd(remainder, right), remainder);
    }
    case Pow: return emit_power(b, type, left, right);
    case Min: return emit_float_extremum(b, false, left, right);
    case Max: return emit_float_extremum(b, true, left, right);
    case Equal: return b.CreateFCmpOEQ(left, right);
    case NotEqual: return b.CreateFCmpUNE(left, right);
    case Less: return b.CreateFCmpOLT(left, right);
    case LessEqual: return b.CreateFCmpOLE(left, right);
    case Greater: return b.CreateFCmpOGT(left, right);
    case GreaterEqual: return b.CreateFCmpOGE(left, right);
    case And:
    case Or:
    case BitAnd:
    case BitOr:
    case BitXor:
    case ShiftLeft:
    case ShiftRight:
    case DotPairs:
    case DotQuads: break;
  }
  CHECK(false, "operator on floats");
  return nullptr;
}

Value* emit_integer_binary(IRBuilderBase& b, BinaryOperator op, DataType type, Value* left,
                           Value* right) {
  using enum BinaryOperator;
  bool is_signed = is_signed_integer(type);
  switch (op) {
    case Add: return b.CreateAdd(left, right);
    case Sub: return b.CreateSub(left, right);
    case Mul: return b.CreateMul(left, right);
    case Div: return emit_division(b, is_signed, left, right).quotient;
    case Mod: return emit_division(b, is_signed, left, right).remainder;
    case FloorDiv: return emit_floor_div(b, is_signed, left, right);
    case FloorMod: return emit_floor_mod(b, is_signed, left, right);
    case Pow: return emit_power(b, type, left, right);
    case Min:
      return b.CreateBinaryIntrinsic(is_signed ? llvm::Intrinsic::smin : llvm::Intrinsic::umin,
                                     left, right);
    case Max:
      return b.CreateBinaryIntrinsic(is_signed ? llvm::Intrinsic::smax : llvm::Intrinsic::umax,
                                     left, right);
    case And:
    case BitAnd: return b.CreateAnd(left, right);
    case Or:
    case BitOr: return b.CreateOr(left, right);
    case BitXor: return b.CreateXor(left, right);
    case ShiftLeft: return emit_shift(b, true, is_signed, left, right);
    case ShiftRight: return emit_shift(b, false, is_signed, left, right);
    case DotPairs: return emit_dot_pairs(b, left, right);
    case DotQuads: return emit_dot_quads(b, left, right);
    case Equal: return b.CreateICmpEQ(left, right);
    case NotEqual: return b.CreateICmpNE(left, right);
    case Less: return is_signed ? b.CreateICmpSLT(left, right) : b.CreateICmpULT(left, right);
    case LessEqual: return is_signed ? b.CreateICmpSLE(left, right) : b.CreateICmpULE(left, right);
    case Greater: return is_signed ? b.CreateICmpSGT(left, right) : b.CreateICmpUGT(left, right);
    case GreaterEqual:
      return is_signed ? b.CreateICmpSGE(left, right) : b.CreateICmpUGE(left, right);
  }
  CHECK(false, "operator on integers");
  return nullptr;
}

Value* emit_float_unary(IRBuilderBase& b, UnaryOperator op, DataType type, Value* x) {
  using enum UnaryOperator;
  auto number = [&](double value) { return float_like(x->getType(), value); };
  switch (op) {
    case Negate: return b.CreateFNeg(x);
    case Abs: return b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
    case Sign: {
      Value* not_positive =
          b.CreateSelect(b.CreateFCmpOLT(x, number(0)), number(-1),
                         b.CreateSelect(b.CreateFCmpOEQ(x, number(0)), number(0), x));
      return b.CreateSelect(b.CreateFCmpOGT(x, number(0)), number(1), not_positive);
    }
    case Sqrt: return b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x);
    case Reciprocal: return b.CreateFDiv(number(1), x);
    case Floor: return b.CreateUnaryIntrinsic(llvm::Intrinsic::floor, x);
    case Ceil: return b.CreateUnaryIntrinsic(llvm::Intrinsic::ceil, x);
    case Trunc: return b.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, x);
    case RoundEven: return b.CreateUnaryIntrinsic(llvm::Intrinsic::roundeven, x);
    case IsNan: return b.CreateFCmpUNO(x, x);
    case IsInf:
      return b.CreateFCmpOEQ(b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x),
                             llvm::ConstantFP::getInfinity(x->getType()));
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
    case Atanh: return emit_math(b, op, type, x);
    case Not:
    case BitNot: break;
  }
  CHECK(false, "operator on floats");
  return nullptr;
}

Value* emit_integer_unary(IRBuilderBase& b, UnaryOperator op, DataType type, Value* x) {
  using enum UnaryOperator;
  switch (op) {
    case Negate: return b.CreateNeg(x);
    case Not:
    case BitNot: return b.CreateNot(x);
    case Abs:
      return is_signed_integer(type)
                 ? b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, x, b.getFalse())
                 : x;
    case Sign: {
      Value* zero = integer_like(x->getType(), 0);
      Value* negative =
          is_signed_integer(type) ? b.CreateSExt(b.CreateICmpSLT(x, zero), x->getType()) : zero;
      Value* positive =
          is_signed_integer(type) ? b.CreateICmpSGT(x, zero) : b.CreateICmpNE(x, zero);
      return b.CreateOr(negative, b.CreateZExt(positive, x->getType()));
    }
    case Exp:
    case Log:
    case Sqrt:
    case Reciprocal:
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
    case Atanh:
    case Floor:
    case Ceil:
    case Trunc:
    case RoundEven:
    case IsNan:
    case IsInf: break;
  }
  CHECK(false, "operator on integers");
  return nullptr;
}

// Behind a fence: LLVM takes a comparison of what was widened for one of float16, which processors
// without such arithmetic have not got, and does it lane by lane (a softmax took eight times as
// long, an ArgMax seventeen).
Value* widen_half(IRBuilderBase& b, Value* half) {
  Type* type = shaped_like(b.getFloatTy(), half->getType());
  Value* wide = b.CreateFPExt(half, type);
  return llvm::isa<llvm::Constant>(wide) ? wide : b.CreateArithmeticFence(wide, type);
}
// Rounds a result of float arithmetic to float16; a Bool passes.
Value* narrow_half(IRBuilderBase& b, Value* value) {
  if (!value->getType()->isFPOrFPVectorTy()) return value;
  return b.CreateFPTrunc(value, shaped_like(b.getHalfTy(), value->getType()));
}

// A float as an integer of at most 16 bits, saturated; 0 for what is no number. LLVM's conversion
// that saturates goes lane by lane where the processor has none to such a type, as x86 has not:
// clamped before, and by way of int32, all lanes take a few instructions.
Value* emit_narrow_conversion(IRBuilderBase& b, DataType to, Type* type, Value* operand) {
  Type* real = operand->getType();
  const bool is_signed = is_signed_integer(to);
  const int bits = static_cast<int>(8 * byte_size(to)) - (is_signed ? 1 : 0);
  Value* const lowest = float_like(real, is_signed ? -std::ldexp(1, bits) : 0);
  Value* const highest = float_like(real, std::ldexp(1, bits) - 1);
  if (is_signed)
    operand = b.CreateSelect(b.CreateFCmpORD(operand, operand), operand, float_like(real, 0));
  operand = b.CreateSelect(b.CreateFCmpOGT(operand, lowest), operand, lowest);
  operand = b.CreateSelect(b.CreateFCmpOLT(operand, highest), operand, highest);
  return b.CreateTrunc(b.CreateFPToSI(operand, shaped_like(b.getInt32Ty(), real)), type);
}

}  // namespace

Type* register_type(llvm::LLVMContext& context, DataType type) {
  if (type == DataType::Bool) return Type::getInt1Ty(context);
  return memory_type(context, type);
}

Type* memory_type(llvm::LLVMContext& context, DataType type) {
  if (type == DataType::Float16) return Type::getHalfTy(context);
  if (type == DataType::Float32) return Type::getFloatTy(context);
  if (type == DataType::Float64) return Type::getDoubleTy(context);
  return Type::getIntNTy(context, static_cast<unsigned>(8 * byte_size(type)));
}

Type* shaped_like(Type* scalar, Type* like) {
  if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(like))
    return llvm::FixedVectorType::get(scalar, vector->getNumElements());
  return scalar;
}

Value* emit_unary(IRBuilderBase& b, UnaryOperator op, DataType operand_type, Value* operand) {
  if (!is_float(operand_type)) return emit_integer_unary(b, op, operand_type, operand);
  if (operand_type != DataType::Float16) return emit_float_unary(b, op, operand_type, operand);
  IRBuilderBase::FastMathFlagGuard keep_flags(b);
  b.clearFastMathFlags();
  return narrow_half(b, emit_float_unary(b, op, DataType::Float32, widen_half(b, operand)));
}

Value* emit_binary(IRBuilderBase& b, BinaryOperator op, DataType operand_type, Value* left,
                   Value* right) {
  if (!is_float(operand_type)) return emit_integer_binary(b, op, operand_type, left, right);
  if (operand_type != DataType::Float16) return emit_float_binary(b, op, operand_type, left, right);
  // Every operation rounds to float16, so nothing may be fused.
  IRBuilderBase::FastMathFlagGuard keep_flags(b);
  b.clearFastMathFlags();
  return narrow_half(
      b, emit_float_binary(b, op, DataType::Float32, widen_half(b, left), widen_half(b, right)));
}

Value* emit_cast(IRBuilderBase& b, DataType from, DataType to, Value* operand) {
  if (from == to) return operand;
  if (from == DataType::Float16 && to != DataType::Bool) {
    Value* wide = widen_half(b, operand);
    return emit_cast(b, DataType::Float32, to, wide);
  }
  Type* type = shaped_like(register_type(b.getContext(), to), operand->getType());
  if (to == DataType::Bool)
    return is_float(from) ? b.CreateFCmpUNE(operand, float_like(operand->getType(), 0))
                          : b.CreateICmpNE(operand, integer_like(operand->getType(), 0));
  if (is_float(from) && is_float(to)) return b.CreateFPCast(operand, type);
  if (is_float(from) && byte_size(to) <= 2) return emit_narrow_conversion(b, to, type, operand);
  if (is_float(from)) {
    auto saturating =
        is_signed_integer(to) ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat;
    return b.CreateIntrinsic(saturating, {type, operand->getType()}, {operand});
  }
  bool from_signed = is_signed_integer(from);
  if (!is_float(to)) return b.CreateIntCast(operand, type, from_signed);
  // Integers that float16 can hold are exact in float32, so rounding twice does no harm.
  Type* real = to == DataType::Float16 ? shaped_like(b.getFloatTy(), operand->getType()) : type;
  Value* converted = from_signed ? b.CreateSIToFP(operand, real) : b.CreateUIToFP(operand, real);
  return to == DataType::Float16 ? narrow_half(b, converted) : converted;
}

}  // namespace loopglass::codegen
