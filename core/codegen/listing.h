// LLVM IR and assembly as a person wants to read them: without directives and metadata, each line
// with the line of the loop nest it came from.
#pragma once

#include "core/codegen/kernel.h"

namespace llvm {
class Module;
}

namespace loopglass::codegen {

std::vector<SourceLine> list_module(const llvm::Module& module);
// `assembly` as LLVM prints it with line tables.
std::vector<SourceLine> list_assembly(std::string_view assembly);

}  // namespace loopglass::codegen
