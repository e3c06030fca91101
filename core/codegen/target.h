// The processor code is generated for: this one, or the level that it is held to
// (machine/instruction_level.h).
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace llvm {
class Function;
class TargetMachine;
}  // namespace llvm

namespace loopglass::codegen {

struct Target {
  std::string triple, processor, features;
  std::string tuned_for;      // the processor whose latencies and ports count
  bool wide_vectors = false;  // 512-bit registers

  // A feature as LLVM calls it.
  bool has(std::string_view feature) const;
};
const Target& host_target();

// A target machine is used by one thread at a time. `optimisation_level` 0 to 3.
std::shared_ptr<llvm::TargetMachine> make_target_machine(int optimisation_level);

// Function attributes every emitted function carries.
void set_target_attributes(llvm::Function& function);

}  // namespace loopglass::codegen
