// Machine instructions of a function as a person wants to read them: LLVM's notation without
// metadata, debug values and call frame information.
#include "core/codegen/source_lines.h"

#include <llvm/CodeGen/MachineBasicBlock.h>
#include <llvm/CodeGen/MachineFunction.h>
#include <llvm/CodeGen/MachineInstr.h>
#include <llvm/CodeGen/TargetInstrInfo.h>
#include <llvm/CodeGen/TargetSubtargetInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/ModuleSlotTracker.h>
#include <llvm/Support/raw_ostream.h>

namespace loopglass::codegen {
namespace {

int line_of(const llvm::MachineInstr& instruction) {
  const llvm::DILocation* location = instruction.getDebugLoc().get();
  return location ? static_cast<int>(location->getLine()) : 0;
}

void print_head(const llvm::MachineBasicBlock& block, llvm::ModuleSlotTracker& slots,
                llvm::raw_ostream& out) {
  block.printName(
      out, llvm::MachineBasicBlock::PrintNameIr | llvm::MachineBasicBlock::PrintNameAttributes,
      &slots);
  out << ':';
  if (block.succ_empty()) return;
  out << "  ; to";
  for (const llvm::MachineBasicBlock* next : block.successors())
    out << ' ' << llvm::printMBBReference(*next);
}

// Which registers a call leaves alone is the same for all calls, and long.
void shorten_register_masks(llvm::SmallString<256>& text) {
  for (std::size_t at = text.find("<regmask"); at != llvm::StringRef::npos;
       at = text.find("<regmask", at + 1))
    if (const std::size_t end = text.find('>', at); end != llvm::StringRef::npos)
      text.erase(text.begin() + at + llvm::StringRef("<regmask").size(), text.begin() + end);
}

// Calls `line(text, loop_line)`; the text is overwritten by the next one.
template <class Line>
void for_each_line(const llvm::MachineFunction& function, Line&& line) {
  const llvm::TargetInstrInfo* instructions = function.getSubtarget().getInstrInfo();
  llvm::ModuleSlotTracker slots(function.getFunction().getParent(), false);
  slots.incorporateFunction(function.getFunction());
  llvm::SmallString<256> text;
  llvm::raw_svector_ostream out(text);
  out << function.getName() << ':';
  line(text, 0);
  for (const llvm::MachineBasicBlock& block : function) {
    text.clear();
    print_head(block, slots, out);
    line(text, 0);
    for (const llvm::MachineInstr& instruction : block.instrs()) {
      if (instruction.isDebugInstr() || instruction.isCFIInstruction()) continue;
      text.clear();
      out << "  ";
      instruction.print(out, slots, false, false, true, false, instructions);
      shorten_register_masks(text);
      line(text, line_of(instruction));
    }
  }
}

}  // namespace

void list_function(const llvm::MachineFunction& function, SourceLines& lines) {
  for_each_line(function, [&](const llvm::SmallString<256>& text, int loop_line) {
    std::string kept(text);
    strip_references(kept);
    lines.push_back({std::move(kept), loop_line});
  });
}

}  // namespace loopglass::codegen
