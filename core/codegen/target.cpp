#include "core/codegen/target.h"

#include "core/codegen/kernel.h"
#include "core/machine/instruction_level.h"
#include "core/support/check.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/IR/Function.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/X86TargetParser.h>

#include <algorithm>
#include <vector>

namespace loopglass::codegen {
namespace {

// As LLVM takes them, in alphabetical order.
std::string listed(const llvm::StringMap<bool>& features) {
  std::vector<std::string> words;
  for (const auto& feature : features)
    words.push_back((feature.getValue() ? "+" : "-") + feature.getKey().str());
  std::ranges::sort(words);
  return llvm::join(words, ",");
}

Target detect() {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::InitializeNativeTargetAsmParser();
  llvm::InitializeNativeTargetDisassembler();
  // Assembly in Intel's notation, where LLVM knows it; a global option of LLVM has the only say.
  auto& options = llvm::cl::getRegisteredOptions();
  if (auto syntax = options.find("x86-asm-syntax"); syntax != options.end())
    syntax->second->addOccurrence(1, "x86-asm-syntax", "intel");
  Target target;
  target.triple = llvm::sys::getProcessTriple();
  target.tuned_for = llvm::sys::getHostCPUName().str();
  if (const InstructionLevel* held = held_level()) {
    target.processor = held->name;
    target.wide_vectors = held->vector_bytes == 64;
    // LLVM lists what a level adds (AVX2), not what follows from that (AVX).
    llvm::SmallVector<llvm::StringRef, 64> added;
    llvm::X86::getFeaturesForCPU(held->name, added);
    llvm::StringMap<bool> all;
    for (const llvm::StringRef feature : added) {
      all[feature] = true;
      llvm::X86::updateImpliedFeatures(feature, true, all);
    }
    target.features = listed(all);
    return target;
  }
  target.processor = target.tuned_for;
  target.features = listed(llvm::sys::getHostCPUFeatures());
  target.wide_vectors = target.has("avx512f");
  return target;
}

llvm::CodeGenOptLevel code_generation_level(int level) {
  switch (level) {
    case 0: return llvm::CodeGenOptLevel::None;
    case 1: return llvm::CodeGenOptLevel::Less;
    case 2: return llvm::CodeGenOptLevel::Default;
    default: return llvm::CodeGenOptLevel::Aggressive;
  }
}

}  // namespace

bool Target::has(std::string_view feature) const {
  return (',' + features + ',').find(",+" + std::string(feature) + ',') != std::string::npos;
}

const Target& host_target() {
  static const Target target = detect();
  return target;
}

std::shared_ptr<llvm::TargetMachine> make_target_machine(int optimisation_level) {
  const Target& host = host_target();
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(host.triple, error);
  CHECK(target != nullptr, error);
  std::shared_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      host.triple, host.processor, host.features, llvm::TargetOptions{}, llvm::Reloc::PIC_,
      llvm::CodeModel::Small, code_generation_level(optimisation_level)));
  CHECK(machine != nullptr, "no target machine for " + host.triple);
  return machine;
}

void set_target_attributes(llvm::Function& function) {
  const Target& host = host_target();
  function.addFnAttr("target-cpu", host.processor);
  function.addFnAttr("target-features", host.features);
  function.addFnAttr("tune-cpu", host.tuned_for);
  // LLVM hesitates to use 512-bit registers on some processors that have them; the schedule has
  // already decided how wide a vector is.
  if (host.wide_vectors) function.addFnAttr("prefer-vector-width", "512");
  function.addFnAttr(llvm::Attribute::NoUnwind);
  // Vectors that find no register go to the stack, where the C ABI keeps 16 bytes together: lying
  // across two cache lines, they took a kernel twice or three times as long, or not, from one start
  // of a program to the next.
  const llvm::Align whole_vectors(host.wide_vectors ? 64 : 32);
  function.addFnAttr(llvm::Attribute::getWithStackAlignment(function.getContext(), whole_vectors));
}

std::string host_description() {
  const Target& host = host_target();
  std::string description = host.processor;
  for (std::size_t begin = 0; begin < host.features.size();) {
    std::size_t end = std::min(host.features.find(',', begin), host.features.size());
    if (host.features[begin] == '+')
      description += ' ' + host.features.substr(begin + 1, end - begin - 1);
    begin = end + 1;
  }
  return description;
}

}  // namespace loopglass::codegen
