#include "core/codegen/pipeline.h"

#include "core/codegen/listing.h"
#include "core/support/check.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include <optional>
#include <unordered_map>

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

// Records a step after every pass that changed the text. Only what the pass worked on is listed
// again; a pass that runs several times in a row (once per loop, say) makes one step.
class Recorder {
 public:
  Recorder(llvm::PassInstrumentationCallbacks& callbacks, const llvm::Module& module, std::vector<LlvmStep>& steps)
      : callbacks_(callbacks), module_(module), steps_(steps) {
    relist_all();
    callbacks.registerAfterPassCallback([this](llvm::StringRef pass, llvm::Any unit, const llvm::PreservedAnalyses& kept) {
      if (!kept.areAllPreserved() && !is_container(pass)) record(pass, relist(unit));
    });
    callbacks.registerAfterPassInvalidatedCallback([this](llvm::StringRef pass, const llvm::PreservedAnalyses&) {
      if (!is_container(pass)) record(pass, relist_all());
    });
  }

 private:
  // What only runs other passes.
  static bool is_container(llvm::StringRef pass) {
    return llvm::isSpecialPass(pass, {"PassManager", "PassAdaptor", "AnalysisManagerProxy", "DevirtSCCRepeatedPass",
                                      "ModuleInlinerWrapperPass", "InvalidateAnalysisPass", "RequireAnalysisPass"});
  }

  // Whether the lines of the function differ from those known.
  bool relist(const llvm::Function& function) {
    std::vector<SourceLine> lines = list_function(function);
    std::vector<SourceLine>& known = functions_[&function];
    if (same_text(known, lines)) return false;
    known = std::move(lines);
    return true;
  }
  bool relist(const llvm::Any& unit) {
    if (const auto* function = llvm::any_cast<const llvm::Function*>(&unit)) return relist(**function);
    if (const auto* loop = llvm::any_cast<const llvm::Loop*>(&unit)) return relist(*(*loop)->getHeader()->getParent());
    return relist_all();
  }
  bool relist_all() {
    bool changed = std::erase_if(functions_, [&](const auto& known) { return !is_there(known.first); }) > 0;
    for (const llvm::Function& function : module_) changed |= relist(function);
    return changed;
  }
  bool is_there(const llvm::Function* wanted) const {
    return std::any_of(module_.begin(), module_.end(), [&](const llvm::Function& function) { return &function == wanted; });
  }

  void record(llvm::StringRef pass, bool changed) {
    if (!changed) return;
    llvm::StringRef name = callbacks_.getPassNameForClassName(pass);
    std::string shown = name.empty() ? pass.str() : name.str();
    std::vector<SourceLine> lines = list_module(
        module_, [this](const llvm::Function& function) -> const std::vector<SourceLine>& { return functions_[&function]; });
    if (!steps_.empty() && steps_.back().pass == shown) steps_.back().lines = std::move(lines);
    else steps_.push_back({std::move(shown), std::move(lines)});
  }

  llvm::PassInstrumentationCallbacks& callbacks_;
  const llvm::Module& module_;
  std::vector<LlvmStep>& steps_;
  std::unordered_map<const llvm::Function*, std::vector<SourceLine>> functions_;
};

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
  std::optional<Recorder> recorder;
  if (steps) recorder.emplace(callbacks, module, *steps);
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
