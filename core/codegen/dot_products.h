// The operators dot_pairs and dot_quads of core/expr on LLVM values: pmaddwd and vpdpbusd, on as
// wide vectors as there are.
#pragma once

namespace llvm {
class IRBuilderBase;
class Value;
}  // namespace llvm

namespace loopglass::codegen {

// Both int32, scalars or vectors of as many lanes.
llvm::Value* emit_dot_pairs(llvm::IRBuilderBase& builder, llvm::Value* left, llvm::Value* right);
// Added to `sum`, unless that is null: the instruction adds as it multiplies, which LLVM does not
// find by itself as it does of pairs.
llvm::Value* emit_dot_quads(llvm::IRBuilderBase& builder, llvm::Value* left, llvm::Value* right,
                            llvm::Value* sum = nullptr);

}  // namespace loopglass::codegen
