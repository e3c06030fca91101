// Cuts a kernel of very many loads and stores into functions that are called in turn.
//
//   func many(...) { for a in 24 { ... } ... for z in 24 { ... } }
//     =>    func many(...) { for a in 24 { ... } ... @function for m in 24 { ... } ... }
//
// LLVM takes more than linear time for functions that are long or have many arguments. A cut lies
// between statements outside all loops, where what is in registers is written to memory anyway; a
// buffer on the stack belongs to one function, so none is cut. Last: copies that other passes make
// count, and where buffers lie decides what can be parted.
#pragma once

#include "core/pass/runner.h"

namespace loopglass::passes {

// So many loads and stores stand in one function, unless a single statement has more.
inline constexpr std::int64_t most_accesses = 256;

Result<loop::Func> cut_functions(const loop::Func& func, pass::Report& report);
pass::Words cut_functions_words();

}  // namespace loopglass::passes
