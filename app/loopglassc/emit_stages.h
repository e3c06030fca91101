// What emit has to show of one kernel at each stage from its tensor expressions to its assembly.
#pragma once

#include "core/codegen/kernel_listings.h"
#include "core/session.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace loopglass::app {

// What one kernel has to show at a stage: the states it went through, of which one is printed.
struct EmittedLine {
  std::string text;
  int loop_line = 0;  // of `nest`; 0: of none
};
struct Emitted {
  std::string title;
  std::vector<EmittedLine> lines;
  std::vector<std::string> steps = {};     // of LLVM's passes: all that one may ask for
  std::vector<pass::Remark> remarks = {};  // of the steps that led there
  codegen::LlvmRemarks llvm_remarks = {};  // of the lines, by their number
  std::optional<loop::Listing> nest = {};  // which the lines came from, or are
  bool is_nest = false;                    // they are
};

// `place`: among the stage's steps; empty: the last of them.
using KernelStage = Result<Emitted> (*)(Session&, fusion::GroupId, const std::string& place);
// By name: "asm". Stages that come before kernels are not among them.
const std::map<std::string, KernelStage>& kernel_stages();

}  // namespace loopglass::app
