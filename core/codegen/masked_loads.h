// What is loaded and then zeroed in lanes that are known, as at an edge, is loaded in the others
// alone: the last pass over LLVM IR, "masked-loads".
//
// LLVM's instcombine turns such a masked load into a load and a select where the whole may be read,
// and LLVM 19's code generation makes of a vector of 512 bits that is zeroed in pairs of lanes an
// expansion (vexpandpd), which takes three times as long as a masked load; of others a second load,
// of a mask.
#pragma once

namespace llvm {
class Function;
class TargetTransformInfo;
}  // namespace llvm

namespace loopglass::codegen {

// Whether it changed anything.
bool mask_loads(llvm::Function& function, const llvm::TargetTransformInfo& target);

}  // namespace loopglass::codegen
