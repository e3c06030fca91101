// LLVM IR and assembly as a person wants to read them: without directives and metadata, each line
// with the line of the loop nest it came from.
#pragma once

#include "core/codegen/kernel_listings.h"

#include <string_view>

namespace llvm {
class Function;
class MachineFunction;
class Module;
}  // namespace llvm

namespace loopglass::codegen {

// Global data, functions, then declarations.
SourceLines list_module(const llvm::Module& module);
// Each behind what is there.
void list_function(const llvm::Function& function, SourceLines& lines);
void list_function(const llvm::MachineFunction& function, SourceLines& lines);
// Takes ", !tbaa !12", of functions " !dbg !12", and " #3" away: metadata and attribute groups.
void strip_references(std::string& line);
// `assembly` as LLVM prints it with line tables.
SourceLines list_assembly(std::string_view assembly);

}  // namespace loopglass::codegen
