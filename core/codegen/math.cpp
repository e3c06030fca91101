// Mathematical functions. float32 exp, log, tanh, erf, sin, cos and atan are polynomials written
// out inline, the same for one element and for a vector, so a result does not depend on the
// schedule; everything else calls the C library once per lane. float16 arrives here as float32.
#include "core/codegen/operators.h"

#include "core/codegen/target.h"

#include "core/support/check.h"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Module.h>

#include <functional>
#include <initializer_list>
#include <numeric>
#include <vector>

namespace loopglass::codegen {
namespace {

using expr::UnaryOperator;
using llvm::IRBuilderBase;
using llvm::Type;
using llvm::Value;

// Arithmetic on float32 values shaped like one operand, in the notation of the formulas.
struct Float32 {
  IRBuilderBase& b;
  Type* type;     // float or a vector of it
  Type* integer;  // int32 or a vector of it

  Float32(IRBuilderBase& builder, Value* like)
      : b(builder), type(like->getType()), integer(shaped_like(builder.getInt32Ty(), type)) {}

  Value* number(double value) const { return llvm::ConstantFP::get(type, value); }
  Value* whole(std::int64_t value) const {
    return llvm::ConstantInt::get(integer, static_cast<std::uint64_t>(value), true);
  }
  Value* multiply_add(Value* x, Value* y, Value* z) const {
    return b.CreateIntrinsic(llvm::Intrinsic::fmuladd, {type}, {x, y, z});
  }
  Value* multiply_add(Value* x, double y, Value* z) const { return multiply_add(x, number(y), z); }
  Value* magnitude(Value* x) const { return b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x); }
  Value* with_sign_of(Value* x, Value* sign) const {
    return b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, x, sign);
  }
  Value* bits(Value* x) const { return b.CreateBitCast(x, integer); }
  Value* from_bits(Value* x) const { return b.CreateBitCast(x, type); }
  // Coefficients from the highest power down.
  Value* polynomial(Value* x, std::initializer_list<double> coefficients) const {
    Value* sum = nullptr;
    for (double coefficient : coefficients)
      sum = sum ? multiply_add(sum, x, number(coefficient)) : number(coefficient);
    return sum;
  }
};

// p * 2^n for whole numbers n, rounded once, where the machine has an instruction for it (AVX-512's
// vscalefps) and the vectors are such as it takes; null: else. Seven others do the same, to the
// bit.
Value* scaled_by_instruction(const Float32& f, Value* p, Value* n) {
  constexpr unsigned lanes = 16;
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(f.type);
  if (vector == nullptr || vector->getNumElements() % lanes != 0 || !host_target().has("avx512f"))
    return nullptr;
  IRBuilderBase& b = f.b;
  constexpr int rounding_as_set = 4;
  std::vector<Value*> parts;
  for (unsigned first = 0; first < vector->getNumElements(); first += lanes) {
    std::vector<int> own(lanes);
    std::iota(own.begin(), own.end(), static_cast<int>(first));
    Value* part = b.CreateShuffleVector(p, own);
    parts.push_back(b.CreateIntrinsic(llvm::Intrinsic::x86_avx512_mask_scalef_ps_512, {},
                                      {part, b.CreateShuffleVector(n, own), part,
                                       b.getInt16(0xffff), b.getInt32(rounding_as_set)}));
  }
  return llvm::concatenateVectors(b, parts);
}

// scale * x = n ln 2 + scale * r with n whole and |scale * r| <= ln 2 / 2; the scale is a power of
// two. ln 2 stands in two parts (W. Cody, W. Waite), of which n times the first is exact.
struct ReducedArgument {
  Value* shifted;  // n + 1.5 * 2^23, whose low bits are n
  Value* n;        // as a float
  Value* r;
};
ReducedArgument by_powers_of_two(const Float32& f, Value* x, double scale) {
  IRBuilderBase& b = f.b;
  Value* magic = f.number(12582912);
  Value* shifted = f.multiply_add(x, 1.44269504088896341 * scale, magic);
  Value* n = b.CreateFSub(shifted, magic);
  Value* r = f.multiply_add(n, -0.693359375 / scale, x);
  return {shifted, n, f.multiply_add(n, 2.12194440e-4 / scale, r)};
}

// e^x = 2^n e^r as Cephes has it (S. Moshier), with a minimax polynomial of e^r in its own right:
// (e^r - 1 - r) / r^2 to 3.2e-9 of e^r. Under 0.9 ulp.
Value* emit_exp(const Float32& f, Value* x) {
  IRBuilderBase& b = f.b;
  // Beyond these the result is inf or 0 already; NaN passes through both.
  x = b.CreateSelect(b.CreateFCmpOGT(x, f.number(89)), f.number(89), x);
  x = b.CreateSelect(b.CreateFCmpOLT(x, f.number(-104)), f.number(-104), x);
  const ReducedArgument parts = by_powers_of_two(f, x, 1);
  Value* p = f.polynomial(parts.r, {1.3813880546e-3, 8.3690634581e-3, 4.1668421819e-2,
                                    1.6666517762e-1, 4.9999993254e-1, 1, 1});
  if (Value* scaled = scaled_by_instruction(f, p, parts.n)) return scaled;
  // 2^n in two factors, each of which is a normal number even where the result is not.
  Value* n = b.CreateSub(f.bits(parts.shifted), f.bits(f.number(12582912)));
  Value* half = b.CreateAShr(n, f.whole(1));
  auto power_of_two = [&](Value* exponent) {
    return f.from_bits(b.CreateShl(b.CreateAdd(exponent, f.whole(127)), f.whole(23)));
  };
  return b.CreateFMul(b.CreateFMul(p, power_of_two(half)), power_of_two(b.CreateSub(n, half)));
}

// Cephes logf: x = m 2^e with m in [sqrt(1/2), sqrt(2)).
Value* emit_log(const Float32& f, Value* x) {
  IRBuilderBase& b = f.b;
  Value* denormal = b.CreateFCmpOLT(x, f.number(0x1p-126));
  Value* scaled = b.CreateSelect(denormal, b.CreateFMul(x, f.number(0x1p23)), x);
  Value* scaled_bits = f.bits(scaled);
  Value* bias = b.CreateSelect(denormal, f.whole(126 + 23), f.whole(126));
  Value* e = b.CreateSIToFP(b.CreateSub(b.CreateLShr(scaled_bits, f.whole(23)), bias), f.type);
  Value* m =
      f.from_bits(b.CreateOr(b.CreateAnd(scaled_bits, f.whole(0x007fffff)), f.whole(0x3f000000)));
  Value* small = b.CreateFCmpOLT(m, f.number(0.707106781186547524));
  e = b.CreateSelect(small, b.CreateFSub(e, f.number(1)), e);
  Value* r = b.CreateFSub(b.CreateSelect(small, b.CreateFAdd(m, m), m), f.number(1));
  Value* square = b.CreateFMul(r, r);
  Value* y = f.polynomial(
      r, {7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
          -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1});
  y = b.CreateFMul(b.CreateFMul(y, r), square);
  y = f.multiply_add(e, -2.12194440e-4, y);
  y = f.multiply_add(square, -0.5, y);
  Value* result = f.multiply_add(e, 0.693359375, b.CreateFAdd(r, y));
  Value* infinity = llvm::ConstantFP::getInfinity(f.type);
  result = b.CreateSelect(b.CreateFCmpUEQ(x, infinity), b.CreateFAdd(x, x), result);  // inf, NaN
  result = b.CreateSelect(b.CreateFCmpOEQ(x, f.number(0)),
                          llvm::ConstantFP::getInfinity(f.type, true), result);
  return b.CreateSelect(b.CreateFCmpOLT(x, f.number(0)), llvm::ConstantFP::getNaN(f.type), result);
}

// h / (1 + h) with h = (e^2|x| - 1) / 2, where e^2|x| - 1 is 2^n (e^r - 1) + (2^n - 1): r itself
// near 0, so nothing is lost there. What 1 + h loses in rounding is put right behind the division
// (Dekker's sum of two, exact up to h = 2^24). Under 2 ulp.
Value* emit_tanh(const Float32& f, Value* x) {
  IRBuilderBase& b = f.b;
  Value* one = f.number(1);
  // The least whose h, 2^24 + 8, gives 1, as all beyond do; tanh is 6e-8 less. NaN passes.
  Value* last = f.number(0x1.154246p+3);
  Value* size = f.magnitude(x);
  size = b.CreateSelect(b.CreateFCmpOGT(size, last), last, size);
  const ReducedArgument parts = by_powers_of_two(f, size, 2);
  Value* v = parts.r;  // r / 2
  // e^2v - 1 = 2v + v^2 p.
  Value* p = f.polynomial(
      v, {2.5402826621e-2, 8.9226576077e-2, 2.6666853237e-1, 6.6666157936e-1, 1.3333333082, 2});
  p = f.multiply_add(p, b.CreateFMul(v, v), b.CreateFAdd(v, v));
  Value* half_power = f.from_bits(b.CreateAdd(b.CreateShl(f.bits(parts.shifted), f.whole(23)),
                                              f.bits(f.number(0.5))));  // 2^n / 2
  Value* h = f.multiply_add(half_power, p, b.CreateFAdd(half_power, f.number(-0.5)));
  Value* below = b.CreateFAdd(h, one);
  Value* lost = b.CreateFSub(h, b.CreateFSub(below, one));
  Value* quotient = b.CreateFDiv(h, below);
  // 1 / (1 + h) is 1 - quotient.
  Value* result =
      f.multiply_add(b.CreateFMul(quotient, lost), b.CreateFSub(quotient, one), quotient);
  return f.with_sign_of(result, x);
}

// N. Juffa's single-precision erf: a polynomial near 0, 1 - exp(polynomial) beyond; under 1 ulp.
Value* emit_erf(const Float32& f, Value* x) {
  IRBuilderBase& b = f.b;
  Value* t = f.magnitude(x);
  Value* s = b.CreateFMul(x, x);
  Value* r = f.multiply_add(f.number(-1.72853470e-5), t, f.number(3.83197126e-4));
  Value* u = f.multiply_add(f.number(-3.88396438e-3), t, f.number(2.42546219e-2));
  r = f.multiply_add(r, s, u);
  r = f.multiply_add(r, t, f.number(-1.06777877e-1));
  r = f.multiply_add(r, t, f.number(-6.34846687e-1));
  r = f.multiply_add(r, t, f.number(-1.28717512e-1));
  r = f.multiply_add(r, t, b.CreateFNeg(t));
  Value* far = f.with_sign_of(b.CreateFSub(f.number(1), emit_exp(f, r)), x);
  Value* p = f.polynomial(s, {-5.96761703e-4, 4.99119423e-3, -2.67681349e-2, 1.12819925e-1,
                              -3.76125336e-1, 1.28379166e-1});
  Value* near = f.multiply_add(p, x, x);
  return b.CreateSelect(b.CreateFCmpOGT(t, f.number(0.927734375)), far, near);
}

// N. Juffa's single-precision atan: a polynomial up to 1, pi / 2 less that of the inverse beyond.
Value* emit_atan(const Float32& f, Value* x) {
  IRBuilderBase& b = f.b;
  Value* size = f.magnitude(x);
  Value* is_far = b.CreateFCmpOGT(size, f.number(1));
  Value* r = b.CreateSelect(is_far, b.CreateFDiv(f.number(1), size), size);
  Value* square = b.CreateFMul(r, r);
  Value* p = f.polynomial(square, {2.78569828e-3, -1.58660226e-2, 4.24722321e-2, -7.49753043e-2,
                                   1.06448799e-1, -1.42070308e-1, 1.99934542e-1, -3.33331466e-1});
  Value* near = f.multiply_add(b.CreateFMul(p, square), r, r);
  // pi / 2 in two parts.
  Value* far = b.CreateFAdd(b.CreateFSub(f.number(1.57079637), near), f.number(-4.37113883e-8));
  return f.with_sign_of(b.CreateSelect(is_far, far, near), x);
}

// `fast`, and of lanes that are `slow` what `computed` gives, which is asked only if there are any.
Value* unless_slow(IRBuilderBase& b, Value* fast, Value* slow,
                   const std::function<Value*()>& computed) {
  Value* any = slow->getType()->isVectorTy() ? b.CreateOrReduce(slow) : slow;
  llvm::BasicBlock* before = b.GetInsertBlock();
  const auto block = [&](const char* name) {
    return llvm::BasicBlock::Create(b.getContext(), name, before->getParent());
  };
  llvm::BasicBlock *rare = block("slow"), *after = block("computed");
  b.CreateCondBr(any, rare, after);
  b.SetInsertPoint(rare);
  Value* mixed = b.CreateSelect(slow, computed(), fast);
  llvm::BasicBlock* rare_end = b.GetInsertBlock();
  b.CreateBr(after);
  b.SetInsertPoint(after);
  llvm::PHINode* result = b.CreatePHI(fast->getType(), 2);
  result->addIncoming(fast, before);
  result->addIncoming(mixed, rare_end);
  return result;
}

// fdlibm's sinf and cosf: in float64, since there the multiple of pi / 2 next to the argument is
// exact enough up to 2^28 of them. What lies beyond is left to the C library.
Value* emit_sine(const Float32& f, Value* x, bool is_cosine,
                 const std::function<Value*()>& by_library) {
  IRBuilderBase& b = f.b;
  Type* wide = shaped_like(b.getDoubleTy(), f.type);
  Type* whole = shaped_like(b.getInt64Ty(), f.type);
  const auto number = [&](double value) { return llvm::ConstantFP::get(wide, value); };
  const auto bits = [&](std::uint64_t value) { return llvm::ConstantInt::get(whole, value); };
  const auto multiply_add = [&](Value* u, Value* v, Value* w) {
    return b.CreateIntrinsic(llvm::Intrinsic::fmuladd, {wide}, {u, v, w});
  };
  Value* place = b.CreateFPExt(x, wide);
  // Adding 1.5 * 2^52 leaves the rounded number of quarter turns in the low bits of the sum.
  Value* shifted =
      b.CreateFAdd(b.CreateFMul(place, number(0.63661977236758138)), number(6755399441055744));
  Value* quarters = b.CreateFSub(shifted, number(6755399441055744));
  Value* turned = b.CreateAdd(b.CreateBitCast(shifted, whole), bits(is_cosine ? 1 : 0));
  // pi / 2 in 25 bits, so that each product is exact, and the rest.
  Value* r = multiply_add(quarters, number(-1.57079631090164184570), place);
  r = multiply_add(quarters, number(-1.58932547735281966916e-08), r);
  Value* square = b.CreateFMul(r, r);
  const auto polynomial = [&](std::initializer_list<double> coefficients) {
    Value* sum = nullptr;
    for (const double coefficient : coefficients)
      if (sum) sum = multiply_add(sum, square, number(coefficient));
      else sum = number(coefficient);
    return sum;
  };
  Value* sine =
      multiply_add(b.CreateFMul(polynomial({2.718311493989822e-06, -1.98393348360966317347e-4,
                                            8.33332938588946317560e-3, -1.66666666416265235595e-1}),
                                square),
                   r, r);
  Value* cosine = polynomial({2.439044879627741654e-5, -1.38867637746099294692e-3,
                              4.16666233237390631894e-2, -4.99999997251031003120e-1, 1});
  Value* is_odd = b.CreateICmpNE(b.CreateAnd(turned, bits(1)), bits(0));
  Value* chosen = b.CreateSelect(is_odd, cosine, sine);
  Value* sign = b.CreateShl(b.CreateAnd(turned, bits(2)), bits(62));
  Value* signed_value = b.CreateBitCast(b.CreateXor(b.CreateBitCast(chosen, whole), sign), wide);
  Value* fast = b.CreateFPTrunc(signed_value, f.type);
  // The sum above has lost the sign of -0.
  if (!is_cosine) fast = b.CreateSelect(b.CreateFCmpOEQ(x, f.number(0)), x, fast);
  constexpr double largest = 4.0e8;  // somewhat less than 2^28 quarter turns; not below: inf
  return unless_slow(b, fast, b.CreateFCmpOGE(f.magnitude(x), f.number(largest)), by_library);
}

std::string_view library_name(UnaryOperator function) {
  using enum UnaryOperator;
  switch (function) {
    case Exp: return "exp";
    case Log: return "log";
    case Erf: return "erf";
    case Sin: return "sin";
    case Cos: return "cos";
    case Tan: return "tan";
    case Asin: return "asin";
    case Acos: return "acos";
    case Atan: return "atan";
    case Sinh: return "sinh";
    case Cosh: return "cosh";
    case Tanh: return "tanh";
    case Asinh: return "asinh";
    case Acosh: return "acosh";
    case Atanh: return "atanh";
    case Negate:
    case Not:
    case BitNot:
    case Abs:
    case Sign:
    case Sqrt:
    case Reciprocal:
    case Floor:
    case Ceil:
    case Trunc:
    case RoundEven:
    case IsNan:
    case IsInf: break;
  }
  CHECK(false, "not a function of the C library");
  return {};
}

// float32's functions carry the suffix f.
Value* call_library(IRBuilderBase& b, std::string_view name, DataType type,
                    std::vector<Value*> arguments) {
  std::string symbol(name);
  if (type == DataType::Float32) symbol += 'f';
  Type* whole_type = arguments.front()->getType();
  Type* scalar = whole_type->getScalarType();
  llvm::Module* module = b.GetInsertBlock()->getModule();
  std::vector<Type*> parameters(arguments.size(), scalar);
  llvm::FunctionCallee callee =
      module->getOrInsertFunction(symbol, llvm::FunctionType::get(scalar, parameters, false));
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setDoesNotAccessMemory();  // errno is of no interest
  function->setDoesNotThrow();
  function->setWillReturn();
  // LLVM knows these names and would rewrite calls at some cost in accuracy: pow(8, x) to exp2(3 *
  // x).
  function->addFnAttr(llvm::Attribute::NoBuiltin);
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(whole_type);
  if (!vector) return b.CreateCall(callee, arguments);
  Value* result = llvm::PoisonValue::get(vector);
  for (unsigned lane = 0; lane < vector->getNumElements(); ++lane) {
    std::vector<Value*> lane_arguments;
    for (Value* argument : arguments)
      lane_arguments.push_back(b.CreateExtractElement(argument, lane));
    result = b.CreateInsertElement(result, b.CreateCall(callee, lane_arguments), lane);
  }
  return result;
}

// Square and multiply over all bits of the exponent, as a loop; wraps like multiplication does.
Value* emit_integer_power(IRBuilderBase& b, bool is_signed, Value* base, Value* exponent) {
  Type* type = base->getType();
  auto number = [&](std::int64_t value) {
    return llvm::ConstantInt::get(type, static_cast<std::uint64_t>(value), true);
  };
  llvm::LLVMContext& context = b.getContext();
  llvm::BasicBlock* before = b.GetInsertBlock();
  llvm::Function* function = before->getParent();
  llvm::BasicBlock* loop = llvm::BasicBlock::Create(context, "power", function);
  llvm::BasicBlock* after = llvm::BasicBlock::Create(context, "power.done", function);
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  llvm::PHINode* bit = b.CreatePHI(b.getInt32Ty(), 2);
  llvm::PHINode* result = b.CreatePHI(type, 2);
  llvm::PHINode* factor = b.CreatePHI(type, 2);
  llvm::PHINode* left = b.CreatePHI(type, 2);
  Value* odd = b.CreateICmpNE(b.CreateAnd(left, number(1)), number(0));
  Value* next_result = b.CreateSelect(odd, b.CreateMul(result, factor), result);
  Value* next_factor = b.CreateMul(factor, factor);
  Value* next_left = b.CreateLShr(left, number(1));
  Value* next_bit = b.CreateAdd(bit, b.getInt32(1));
  b.CreateCondBr(b.CreateICmpULT(next_bit, b.getInt32(type->getScalarSizeInBits())), loop, after);
  bit->addIncoming(b.getInt32(0), before);
  bit->addIncoming(next_bit, loop);
  result->addIncoming(number(1), before);
  result->addIncoming(next_result, loop);
  factor->addIncoming(base, before);
  factor->addIncoming(next_factor, loop);
  left->addIncoming(exponent, before);
  left->addIncoming(next_left, loop);
  b.SetInsertPoint(after);
  if (!is_signed) return next_result;
  // A negative exponent truncates the quotient: only +1 and -1 have one that is not 0.
  Value* even = b.CreateICmpEQ(b.CreateAnd(exponent, number(1)), number(0));
  Value* of_minus_one = b.CreateSelect(even, number(1), number(-1));
  Value* inverse =
      b.CreateSelect(b.CreateICmpEQ(base, number(1)), number(1),
                     b.CreateSelect(b.CreateICmpEQ(base, number(-1)), of_minus_one, number(0)));
  return b.CreateSelect(b.CreateICmpSLT(exponent, number(0)), inverse, next_result);
}

bool is_splat_of(Value* value, double number) {
  auto* constant = llvm::dyn_cast<llvm::Constant>(value);
  if (constant && value->getType()->isVectorTy()) constant = constant->getSplatValue();
  auto* real = llvm::dyn_cast_or_null<llvm::ConstantFP>(constant);
  return real && real->isExactlyValue(number);
}

}  // namespace

Value* emit_math(IRBuilderBase& b, UnaryOperator function, DataType type, Value* operand) {
  if (type == DataType::Float32) {
    Float32 f(b, operand);
    if (function == UnaryOperator::Exp) return emit_exp(f, operand);
    if (function == UnaryOperator::Log) return emit_log(f, operand);
    if (function == UnaryOperator::Tanh) return emit_tanh(f, operand);
    if (function == UnaryOperator::Erf) return emit_erf(f, operand);
    if (function == UnaryOperator::Atan) return emit_atan(f, operand);
    if (function == UnaryOperator::Sin || function == UnaryOperator::Cos)
      return emit_sine(f, operand, function == UnaryOperator::Cos,
                       [&] { return call_library(b, library_name(function), type, {operand}); });
  }
  return call_library(b, library_name(function), type, {operand});
}

Value* emit_power(IRBuilderBase& b, DataType type, Value* base, Value* exponent) {
  if (!is_float(type)) return emit_integer_power(b, is_signed_integer(type), base, exponent);
  if (is_splat_of(exponent, 2)) return b.CreateFMul(base, base);
  return call_library(b, "pow", type, {base, exponent});
}

Value* emit_float_remainder(IRBuilderBase& b, DataType type, Value* left, Value* right) {
  return call_library(b, "fmod", type, {left, right});
}

}  // namespace loopglass::codegen
