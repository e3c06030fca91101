#include "core/codegen/pipeline.h"

#include "core/codegen/masked_loads.h"
#include "core/codegen/text_watch.h"
#include "core/codegen/workbench.h"
#include "core/support/check.h"

#include <llvm/Analysis/LazyCallGraph.h>
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

#include <algorithm>
#include <set>
#include <unordered_set>

namespace loopglass::codegen {
namespace {

using Callbacks = llvm::PassInstrumentationCallbacks;

llvm::OptimizationLevel level_of(int level) {
  switch (level) {
    case 0: return llvm::OptimizationLevel::O0;
    case 1: return llvm::OptimizationLevel::O1;
    case 2: return llvm::OptimizationLevel::O2;
    default: return llvm::OptimizationLevel::O3;
  }
}

std::string shown_name(Callbacks& callbacks, llvm::StringRef pass) {
  const llvm::StringRef name = callbacks.getPassNameForClassName(pass);
  return name.empty() ? pass.str() : name.str();
}

// What only runs other passes.
bool is_container(llvm::StringRef pass) {
  return llvm::isSpecialPass(
      pass, {"PassManager", "PassAdaptor", "AnalysisManagerProxy", "DevirtSCCRepeatedPass",
             "ModuleInlinerWrapperPass", "InvalidateAnalysisPass", "RequireAnalysisPass"});
}

// Calls `ran(pass)` after every pass, whatever came of it.
void after_each_pass(Callbacks& callbacks, const std::function<void(llvm::StringRef pass)>& ran) {
  callbacks.registerAfterPassCallback(
      [ran](llvm::StringRef pass, llvm::Any, const llvm::PreservedAnalyses&) {
        if (!is_container(pass)) ran(pass);
      });
  callbacks.registerAfterPassInvalidatedCallback(
      [ran](llvm::StringRef pass, const llvm::PreservedAnalyses&) {
        if (!is_container(pass)) ran(pass);
      });
}

// Leaves out what is not to run, of what may be left out.
void choose_passes(Callbacks& callbacks, const LlvmPasses& chosen) {
  if (!chosen.without.empty())
    callbacks.registerShouldRunOptionalPassCallback([&callbacks, &chosen](llvm::StringRef pass,
                                                                          llvm::Any) {
      return std::ranges::find(chosen.without, shown_name(callbacks, pass)) == chosen.without.end();
    });
  if (!chosen.runs) return;
  const auto ran = std::make_shared<std::size_t>(0);
  after_each_pass(callbacks, [ran](llvm::StringRef) { ++*ran; });
  callbacks.registerShouldRunOptionalPassCallback(
      [ran, limit = *chosen.runs](llvm::StringRef, llvm::Any) { return *ran < limit; });
}

// What is left to do where lanes are decided.
constexpr llvm::StringLiteral passes_for_lanes =
    "function(sroa,early-cse<memssa>,loop-mssa(licm),loop-unroll<O3>,early-cse<memssa>)";

class MaskedLoadsPass : public llvm::PassInfoMixin<MaskedLoadsPass> {
 public:
  static llvm::StringRef name() { return "masked-loads"; }
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    const bool changed = mask_loads(function, analyses.getResult<llvm::TargetIRAnalysis>(function));
    return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
  }
};

llvm::ModulePassManager passes_for(llvm::PassBuilder& builder, int level, bool lanes_are_decided) {
  if (level <= 0) return builder.buildO0DefaultPipeline(llvm::OptimizationLevel::O0);
  llvm::ModulePassManager passes;
  if (level < 3 || !lanes_are_decided) {
    passes = builder.buildPerModuleDefaultPipeline(level_of(level));
  } else {
    llvm::Error error = builder.parsePassPipeline(passes, passes_for_lanes);
    CHECK(!error, llvm::toString(std::move(error)));
  }
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(MaskedLoadsPass()));
  return passes;
}

void run_pipeline(Workbench& bench, const CompileOptions& options, Callbacks& callbacks) {
  choose_passes(callbacks, options.llvm_passes);
  llvm::PassBuilder builder(&bench.machine(), llvm::PipelineTuningOptions{}, std::nullopt,
                            &callbacks);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager call_graph;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(call_graph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, call_graph, modules);
  passes_for(builder, options.optimisation_level, bench.lanes_are_decided())
      .run(bench.module(), modules);
}

// Looks at what a pass worked on. What a pass says of the analyses it preserves is not to be relied
// on: infer-alignment preserves them all.
class Recorder {
 public:
  Recorder(Callbacks& callbacks, const llvm::Module& module)
      : callbacks_(callbacks), watch_(module) {
    after_each_pass(callbacks, [this](llvm::StringRef) { ++moment_; });
    callbacks.registerBeforeNonSkippedPassCallback([this](llvm::StringRef pass, llvm::Any unit) {
      if (!is_container(pass)) before(unit);
    });
    callbacks.registerAfterPassCallback(
        [this](llvm::StringRef pass, llvm::Any unit, const llvm::PreservedAnalyses& kept) {
          if (!is_container(pass) && look_at(unit, !kept.areAllPreserved())) record(pass);
        });
    callbacks.registerAfterPassInvalidatedCallback(
        [this](llvm::StringRef pass, const llvm::PreservedAnalyses&) {
          if (!is_container(pass) && (loop_in_ ? watch_.look_at(*loop_in_) : watch_.look_at_all()))
            record(pass);
        });
  }

  Recording result() && { return {std::move(runs_), watch_.blocks_hashed()}; }

 private:
  void before(const llvm::Any& unit) {
    loop_in_ = nullptr;
    if (const auto* loop = llvm::any_cast<const llvm::Loop*>(&unit)) {
      loop_in_ = (*loop)->getHeader()->getParent();
      watch_.catch_up(**loop);
    } else if (const auto* function = llvm::any_cast<const llvm::Function*>(&unit))
      watch_.catch_up(**function);
    else watch_.catch_up();
  }

  bool look_at(const llvm::Any& unit, bool says_changed) {
    if (const auto* loop = llvm::any_cast<const llvm::Loop*>(&unit))
      return watch_.look_at(**loop, says_changed);
    if (const auto* function = llvm::any_cast<const llvm::Function*>(&unit))
      return watch_.look_at(**function);
    if (const auto* component = llvm::any_cast<const llvm::LazyCallGraph::SCC*>(&unit))
      return look_at(**component);
    return watch_.look_at_all();
  }
  // Passes over the call graph change functions, and the calls of them where they change what is
  // passed.
  bool look_at(const llvm::LazyCallGraph::SCC& component) {
    std::unordered_set<const llvm::Function*> touched;
    for (const llvm::LazyCallGraph::Node& node : component) {
      touched.insert(&node.getFunction());
      for (const llvm::User* user : node.getFunction().users())
        if (const auto* call = llvm::dyn_cast<llvm::Instruction>(user))
          touched.insert(call->getFunction());
    }
    bool changed = watch_.look_for_new_and_gone_functions();
    for (const llvm::Function* function : touched) changed |= watch_.look_at(*function);
    return changed;
  }

  void record(llvm::StringRef pass) { runs_.push_back({shown_name(callbacks_, pass), moment_}); }

  Callbacks& callbacks_;
  TextWatch watch_;
  const llvm::Function* loop_in_ = nullptr;  // the function whose loop is being worked on
  std::size_t moment_ = 0;
  std::vector<PassRun> runs_;
};

template <class Stream>
bool generate(llvm::Module& module, llvm::TargetMachine& machine, llvm::CodeGenFileType type,
              Stream& out) {
  llvm::legacy::PassManager passes;
  passes.add(new llvm::TargetLibraryInfoWrapperPass(machine.getTargetTriple()));
  if (machine.addPassesToEmitFile(passes, out, nullptr, type)) return false;
  passes.run(module);
  return true;
}

}  // namespace

std::size_t instruction_count(const llvm::Module& module) { return module.getInstructionCount(); }

void optimise(Workbench& bench, const CompileOptions& options) {
  Callbacks callbacks;
  run_pipeline(bench, options, callbacks);
}

std::vector<std::string> optional_passes_run(Workbench& bench, const CompileOptions& options) {
  Callbacks callbacks;
  std::set<std::string> names;
  callbacks.registerShouldRunOptionalPassCallback([&](llvm::StringRef pass, llvm::Any) {
    if (!is_container(pass)) names.insert(shown_name(callbacks, pass));
    return true;
  });
  run_pipeline(bench, options, callbacks);
  return {names.begin(), names.end()};
}

Recording optimise_recorded(Workbench& bench, const CompileOptions& options,
                            const Cancellation& cancellation) {
  Callbacks callbacks;
  callbacks.registerShouldRunOptionalPassCallback(
      [&](llvm::StringRef, llvm::Any) { return !cancellation.requested(); });
  Recorder recorder(callbacks, bench.module());
  run_pipeline(bench, options, callbacks);
  return std::move(recorder).result();
}

void optimise_until(Workbench& bench, const CompileOptions& options,
                    const std::vector<std::size_t>& moments,
                    const std::function<void(std::size_t moment, const std::string& pass)>& look,
                    const Cancellation& cancellation) {
  auto next = moments.begin();
  std::size_t moment = 0;
  const auto arrive = [&](const std::string& pass) {
    if (next == moments.end() || *next != moment) return;
    look(moment, pass);
    ++next;
  };
  Callbacks callbacks;
  callbacks.registerShouldRunOptionalPassCallback([&](llvm::StringRef, llvm::Any) {
    return next != moments.end() && !cancellation.requested();
  });
  after_each_pass(callbacks, [&](llvm::StringRef pass) {
    ++moment;
    arrive(shown_name(callbacks, pass));
  });
  arrive("");
  run_pipeline(bench, options, callbacks);
}

std::unique_ptr<llvm::MemoryBuffer> generate_object(llvm::Module& module,
                                                    llvm::TargetMachine& machine) {
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
