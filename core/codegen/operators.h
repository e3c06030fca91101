// Operators of core/expr on LLVM values, scalar or vector alike, with exactly the meaning expr.h
// gives them. Both operands of a binary operator have the same LLVM type.
//
// In registers a Bool is an i1; in memory it is a byte, 0 or 1.
#pragma once

#include "core/expr/expr.h"

namespace llvm {
class IRBuilderBase;
class LLVMContext;
class Type;
class Value;
}  // namespace llvm

namespace loopglass::codegen {

llvm::Type* register_type(llvm::LLVMContext& context, DataType type);
llvm::Type* memory_type(llvm::LLVMContext& context, DataType type);
// `scalar`, or a vector of it with as many lanes as `like` has.
llvm::Type* shaped_like(llvm::Type* scalar, llvm::Type* like);

llvm::Value* emit_unary(llvm::IRBuilderBase& builder, expr::UnaryOperator op, DataType operand_type,
                        llvm::Value* operand);
llvm::Value* emit_binary(llvm::IRBuilderBase& builder, expr::BinaryOperator op,
                         DataType operand_type, llvm::Value* left, llvm::Value* right);
llvm::Value* emit_cast(llvm::IRBuilderBase& builder, DataType from, DataType to,
                       llvm::Value* operand);

// Mathematical functions, in math.cpp. `function` is one that has no instruction of its own.
llvm::Value* emit_math(llvm::IRBuilderBase& builder, expr::UnaryOperator function, DataType type,
                       llvm::Value* operand);
llvm::Value* emit_power(llvm::IRBuilderBase& builder, DataType type, llvm::Value* base,
                        llvm::Value* exponent);
// The remainder of a division that truncates, C's fmod.
llvm::Value* emit_float_remainder(llvm::IRBuilderBase& builder, DataType type, llvm::Value* left,
                                  llvm::Value* right);

}  // namespace loopglass::codegen
