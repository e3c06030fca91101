#include "core/codegen/machine_tables.h"

#include "core/codegen/target.h"
#include "core/support/check.h"

#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>

namespace loopglass::codegen {

MachineTables::MachineTables() : options(std::make_unique<llvm::MCTargetOptions>()) {}
MachineTables::MachineTables(MachineTables&&) noexcept = default;
MachineTables& MachineTables::operator=(MachineTables&&) noexcept = default;
MachineTables::~MachineTables() = default;

MachineTables machine_tables(const std::string& processor) {
  const Target& host = host_target();
  MachineTables tables;
  std::string error;
  tables.target = llvm::TargetRegistry::lookupTarget(host.triple, error);
  CHECK(tables.target != nullptr, error);
  tables.processor.reset(
      tables.target->createMCSubtargetInfo(host.triple, processor, host.features));
  CHECK(tables.processor != nullptr, "LLVM does not know its own target");
  tables.registers.reset(tables.target->createMCRegInfo(host.triple));
  tables.notation.reset(
      tables.target->createMCAsmInfo(*tables.registers, host.triple, *tables.options));
  tables.instructions.reset(tables.target->createMCInstrInfo());
  return tables;
}

}  // namespace loopglass::codegen
