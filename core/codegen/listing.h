// LLVM IR and assembly as a person wants to read them: without directives and metadata, each line
// with the line of the loop nest it came from.
#pragma once

#include "core/codegen/kernel.h"

#include <functional>

namespace llvm {
class Function;
class Module;
}  // namespace llvm

namespace loopglass::codegen {

std::vector<SourceLine> list_function(const llvm::Function& function);
// Global data, functions, then declarations; `listed` gives the lines of a function.
std::vector<SourceLine> list_module(const llvm::Module& module,
                                    const std::function<const std::vector<SourceLine>&(const llvm::Function&)>& listed);
std::vector<SourceLine> list_module(const llvm::Module& module);
// `assembly` as LLVM prints it with line tables.
std::vector<SourceLine> list_assembly(std::string_view assembly);

}  // namespace loopglass::codegen
