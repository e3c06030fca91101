// LLVM's tables of this machine's instructions: what reads machine code, as text or as bytes, goes
// by them.
#pragma once

#include <memory>
#include <string>

namespace llvm {
class MCAsmInfo;
class MCInstrInfo;
class MCRegisterInfo;
class MCSubtargetInfo;
class MCTargetOptions;
class Target;
}  // namespace llvm

namespace loopglass::codegen {

// In this dialect of x86 assembly are our listings.
inline constexpr unsigned intel_dialect = 1;

struct MachineTables {
  MachineTables();
  MachineTables(MachineTables&&) noexcept;
  MachineTables& operator=(MachineTables&&) noexcept;
  ~MachineTables();

  const llvm::Target* target = nullptr;
  std::unique_ptr<llvm::MCTargetOptions> options;
  std::unique_ptr<llvm::MCSubtargetInfo> processor;  // with all instructions of this machine
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> notation;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
};
// `processor`: whose latencies and ports, as LLVM calls it, which has to know it; empty: none's.
MachineTables machine_tables(const std::string& processor);

}  // namespace loopglass::codegen
