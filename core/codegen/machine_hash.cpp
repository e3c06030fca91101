#include "core/codegen/machine_hash.h"

#include <llvm/ADT/Hashing.h>
#include <llvm/CodeGen/MachineBasicBlock.h>
#include <llvm/CodeGen/MachineFunction.h>
#include <llvm/CodeGen/MachineInstr.h>
#include <llvm/CodeGen/MachineMemOperand.h>
#include <llvm/CodeGen/MachineOperand.h>
#include <llvm/CodeGen/MachineRegisterInfo.h>

namespace loopglass::codegen {
namespace {

// What stands beside a register: that it is killed, dead, ..., and the class of a virtual one.
llvm::hash_code register_words(const llvm::MachineInstr& instruction, unsigned number,
                               const llvm::MachineRegisterInfo& registers) {
  const llvm::MachineOperand& operand = instruction.getOperand(number);
  const llvm::Register reg = operand.getReg();
  return llvm::hash_combine(
      operand.isImplicit(), operand.isKill(), operand.isDead(), operand.isUndef(),
      operand.isEarlyClobber(), operand.isInternalRead(), reg.isPhysical() && operand.isRenamable(),
      operand.isTied() ? instruction.findTiedOperandIdx(number) + 1 : 0,
      reg.isVirtual() ? registers.getRegClassOrRegBank(reg).getOpaqueValue() : nullptr);
}

llvm::hash_code memory_words(const llvm::MachineMemOperand& memory) {
  return llvm::hash_combine(memory.getOpaqueValue(), memory.getOffset(), memory.getSize().toRaw(),
                            memory.getFlags(), memory.getBaseAlign().value());
}

llvm::hash_code hash_of(const llvm::MachineInstr& instruction,
                        const llvm::MachineRegisterInfo& registers) {
  llvm::hash_code hash = llvm::hash_combine(instruction.getOpcode(), instruction.getFlags());
  for (unsigned number = 0; number < instruction.getNumOperands(); ++number) {
    const llvm::MachineOperand& operand = instruction.getOperand(number);
    hash = llvm::hash_combine(hash, operand);
    if (operand.isReg())
      hash = llvm::hash_combine(hash, register_words(instruction, number, registers));
  }
  for (const llvm::MachineMemOperand* memory : instruction.memoperands())
    hash = llvm::hash_combine(hash, memory_words(*memory));
  return hash;
}

}  // namespace

std::uint64_t text_hash(const llvm::MachineFunction& function) {
  llvm::hash_code hash = 0;
  for (const llvm::MachineBasicBlock& block : function) {
    hash = llvm::hash_combine(hash, block.getNumber(), block.getBasicBlock(),
                              block.getAlignment().value());
    for (const llvm::MachineBasicBlock* next : block.successors())
      hash = llvm::hash_combine(hash, next->getNumber());
    for (const llvm::MachineInstr& instruction : block.instrs())
      if (!instruction.isDebugInstr() && !instruction.isCFIInstruction())
        hash = llvm::hash_combine(hash, hash_of(instruction, function.getRegInfo()));
  }
  return hash;
}

}  // namespace loopglass::codegen
