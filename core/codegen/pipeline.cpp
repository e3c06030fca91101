#include "core/codegen/pipeline.h"

#include "core/codegen/listing.h"
#include "core/support/check.h"

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

namespace loopglass::codegen {
namespace {

llvm::OptimizationLevel level_of(int level) {
  switch (level) {
    case 0: return llvm::OptimizationLevel::O0;
    case 1: return llvm::OptimizationLevel::O1;
    case 2: return llvm::OptimizationLevel::O2;
    default: return llvm::OptimizationLevel::O3;
  }
}

bool same_text(const std::vector<SourceLine>& a, const std::vector<SourceLine>& b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](const auto& x, const auto& y) { return x.text == y.text; });
}

// After each pass, a listing if the text changed. Pass managers and adaptors report again what the
// passes inside them did; they find the text unchanged.
void record_steps(llvm::PassInstrumentationCallbacks& callbacks, const llvm::Module& module, std::vector<LlvmStep>& steps) {
  auto record = [&](llvm::StringRef pass) {
    std::vector<SourceLine> lines = list_module(module);
    if (!steps.empty() && same_text(steps.back().lines, lines)) return;
    llvm::StringRef name = callbacks.getPassNameForClassName(pass);
    steps.push_back({name.empty() ? pass.str() : name.str(), std::move(lines)});
  };
  callbacks.registerAfterPassCallback(
      [record](llvm::StringRef pass, llvm::Any, const llvm::PreservedAnalyses& preserved) {
        if (!preserved.areAllPreserved()) record(pass);
      });
  callbacks.registerAfterPassInvalidatedCallback(
      [record](llvm::StringRef pass, const llvm::PreservedAnalyses&) { record(pass); });
}

template <class Stream>
bool generate(llvm::Module& module, llvm::TargetMachine& machine, llvm::CodeGenFileType type, Stream& out) {
  llvm::legacy::PassManager passes;
  passes.add(new llvm::TargetLibraryInfoWrapperPass(machine.getTargetTriple()));
  if (machine.addPassesToEmitFile(passes, out, nullptr, type)) return false;
  passes.run(module);
  return true;
}

}  // namespace

void optimise(llvm::Module& module, llvm::TargetMachine& machine, int level, std::vector<LlvmStep>* steps) {
  llvm::PassInstrumentationCallbacks callbacks;
  if (steps) record_steps(callbacks, module, *steps);
  llvm::PassBuilder builder(&machine, llvm::PipelineTuningOptions{}, std::nullopt, &callbacks);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager call_graph;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(call_graph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, call_graph, modules);
  llvm::ModulePassManager passes = level <= 0 ? builder.buildO0DefaultPipeline(llvm::OptimizationLevel::O0)
                                              : builder.buildPerModuleDefaultPipeline(level_of(level));
  passes.run(module, modules);
}

std::unique_ptr<llvm::MemoryBuffer> generate_object(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream out(bytes);
  if (!generate(module, machine, llvm::CodeGenFileType::ObjectFile, out)) return nullptr;
  return std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(bytes), module.getName(), false);
}

std::string generate_assembly(llvm::Module& module, llvm::TargetMachine& machine) {
  machine.Options.MCOptions.AsmVerbose = true;
  llvm::SmallVector<char, 0> text;
  llvm::raw_svector_ostream out(text);
  CHECK(generate(module, machine, llvm::CodeGenFileType::AssemblyFile, out), "no assembly printer");
  return std::string(text.data(), text.size());
}

}  // namespace loopglass::codegen
