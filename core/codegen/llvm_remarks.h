// What LLVM's passes say of a kernel while they make machine code of it: what they did, what they
// would have done and why they did not, and what they found out.
#pragma once

#include "core/pass/pass.h"

#include <memory>
#include <string>
#include <vector>

namespace llvm {
class LLVMContext;
}

namespace loopglass::codegen {

struct LlvmRemark {
  std::string pass;   // as LLVM calls it here: "loop-vectorize", "regalloc"
  int loop_line = 0;  // of the lowered loop nest's listing (1-based; 0: no mapping)
  int times = 1;      // that the very same was said of this line
  // Its code is LLVM's name for it ("LoopSpillReloadCopies"), its entity the LLVM function, its
  // numbers are those in the sentence, by LLVM's names ("NumSpills").
  pass::Remark remark;
};
// By line, and of one line in the order in which they were said.
using LlvmRemarks = std::vector<LlvmRemark>;

// Hears what is said about modules of the context from now on; the context has to outlive it.
class RemarkCollector {
 public:
  explicit RemarkCollector(llvm::LLVMContext& context);
  ~RemarkCollector();

  LlvmRemarks take() &&;

 private:
  class Handler;
  llvm::LLVMContext& context_;
  std::shared_ptr<LlvmRemarks> said_;
};

}  // namespace loopglass::codegen
