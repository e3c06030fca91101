// The part of `loopglassc bisect` that looks among LLVM's passes.
#pragma once

#include "app/common/exit_codes.h"
#include "core/debug/llvm_bisect.h"
#include "core/session.h"

namespace loopglass::app {

struct LlvmBisectAsked {
  std::string kernel;  // as --kernel has it
  int threads = 1;
  debug::LlvmBisectOptions options = {};  // but its progress, which goes to the terminal
  bool json = false;
};

// Bad where a pass changes the speed for certain.
Result<Exit> bisect_llvm(Session& session, const LlvmBisectAsked& asked);

}  // namespace loopglass::app
