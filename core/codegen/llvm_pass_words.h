// What LLVM's passes do, in a sentence each: those that its default
// pipelines run, and those of code generation.
#pragma once

#include <string_view>

namespace loopglass::codegen {

// "Keeps scalars in registers instead of stack slots."; of a step that several passes make, the
// last one's; empty for a pass that is not known.
std::string_view llvm_pass_sentence(std::string_view pass);

}  // namespace loopglass::codegen
