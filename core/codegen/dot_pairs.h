// The operator dot_pairs of core/expr on LLVM values: pmaddwd, on as wide vectors as there are.
#pragma once

namespace llvm {
class IRBuilderBase;
class Value;
}  // namespace llvm

namespace loopglass::codegen {

// Both int32, scalars or vectors of as many lanes.
llvm::Value* emit_dot_pairs(llvm::IRBuilderBase& builder, llvm::Value* left, llvm::Value* right);

}  // namespace loopglass::codegen
