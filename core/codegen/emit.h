// Writing the LLVM IR of a kernel.
#pragma once

#include "core/codegen/plan.h"

#include <unordered_map>

namespace llvm {
class Module;
}

namespace loopglass::codegen {

// Line of each statement in the listing of the lowered Func.
using LineMap = std::unordered_map<const loop::StmtNode*, int>;

// The symbol of type EntryPoint that an emitted module defines.
inline constexpr const char* entry_symbol = "kernel";

// Every instruction carries the line of its statement as its debug location; `line_tables` says
// whether code generation is to emit them.
void emit(llvm::Module& module, const loop::Func& func, const Plan& plan, const LineMap& lines,
          bool line_tables);

}  // namespace loopglass::codegen
