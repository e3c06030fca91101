#include "core/codegen/machine_passes.h"

#include "core/codegen/machine_hash.h"
#include "core/codegen/source_lines.h"
#include "core/codegen/text_watch.h"
#include "core/support/check.h"

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/CodeGen/MachineFunction.h>
#include <llvm/CodeGen/MachineFunctionPass.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/Pass.h>
#include <llvm/PassRegistry.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

namespace loopglass::codegen {
namespace {

// What becomes of one function at one moment: LLVM IR, or machine instructions where there are any.
class Watcher {
 public:
  virtual ~Watcher() = default;
  virtual void arrived(std::size_t moment, const llvm::Function& function) = 0;
  virtual void arrived(std::size_t moment, const llvm::MachineFunction& function) = 0;
};

// Posts: passes that change nothing, and tell a watcher where a function has got to.
class IrPost : public llvm::FunctionPass {
 public:
  static inline char ID = 0;
  IrPost(Watcher& watcher, std::size_t moment)
      : FunctionPass(ID), watcher_(watcher), moment_(moment) {}
  bool runOnFunction(llvm::Function& function) override {
    watcher_.arrived(moment_, function);
    return false;
  }
  void getAnalysisUsage(llvm::AnalysisUsage& usage) const override { usage.setPreservesAll(); }

 private:
  Watcher& watcher_;
  std::size_t moment_;
};

class MachinePost : public llvm::MachineFunctionPass {
 public:
  static inline char ID = 0;
  MachinePost(Watcher& watcher, std::size_t moment)
      : MachineFunctionPass(ID), watcher_(watcher), moment_(moment) {}
  bool runOnMachineFunction(llvm::MachineFunction& function) override {
    watcher_.arrived(moment_, function);
    return false;
  }
  void getAnalysisUsage(llvm::AnalysisUsage& usage) const override {
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }

 private:
  Watcher& watcher_;
  std::size_t moment_;
};

const llvm::PassInfo* info_of(const llvm::Pass& pass) {
  return llvm::PassRegistry::getPassRegistry()->getPassInfo(pass.getPassID());
}

// As LLVM's tools call it.
std::string shown_name(const llvm::Pass& pass) {
  const llvm::PassInfo* info = info_of(pass);
  return info && !info->getPassArgument().empty() ? info->getPassArgument().str()
                                                  : pass.getPassName().str();
}

// Takes the passes of code generation as LLVM adds them, and puts a post behind each that may
// change something.
class PostedPasses : public llvm::legacy::PassManagerBase {
 public:
  PostedPasses(Watcher& watcher, std::optional<std::size_t> last_moment)
      : watcher_(watcher), last_moment_(last_moment) {}

  void add(llvm::Pass* pass) override {
    const bool is_machine_pass = dynamic_cast<llvm::MachineFunctionPass*>(pass) != nullptr;
    // Passes over loops stay together: a post between them would have all loops gone through by
    // the first before the second begins.
    if (loops_pending_ && pass->getPassKind() != llvm::PT_Loop) post();
    if (last_moment_ && names_.size() > *last_moment_) {
      delete pass;
      return;
    }
    has_machine_code_ |= is_machine_pass;
    const bool is_watched = !pass->getAsImmutablePass() && !is_analysis(*pass) &&
                            (is_machine_pass || !has_machine_code_);
    const std::string name = shown_name(*pass);
    const bool is_over_loops = pass->getPassKind() == llvm::PT_Loop;
    passes_.add(pass);
    if (!is_watched) return;
    pending_ = loops_pending_ ? pending_ + ", " + name : name;
    loops_pending_ = is_over_loops;
    if (!is_over_loops) post();
  }

  void run(llvm::Module& module) { passes_.run(module); }
  const std::vector<std::string>& names() const { return names_; }  // by moment

 private:
  static bool is_analysis(const llvm::Pass& pass) {
    const llvm::PassInfo* info = info_of(pass);
    return info && info->isAnalysis();
  }

  void post() {
    loops_pending_ = false;
    const std::size_t moment = names_.size();
    names_.push_back(std::exchange(pending_, {}));
    if (has_machine_code_) passes_.add(new MachinePost(watcher_, moment));
    else passes_.add(new IrPost(watcher_, moment));
  }

  Watcher& watcher_;
  std::optional<std::size_t> last_moment_;
  llvm::legacy::PassManager passes_;
  std::vector<std::string> names_;
  std::string pending_;
  bool has_machine_code_ = false, loops_pending_ = false;
};

// Which passes change the text of a function.
class ChangeWatcher : public Watcher {
 public:
  ChangeWatcher(const llvm::Module& module, const Cancellation& cancellation)
      : cancellation_(cancellation), ir_(module) {}
  void arrived(std::size_t moment, const llvm::Function& function) override {
    if (!cancellation_.requested() && ir_.look_at(function)) moments_.insert(moment);
  }
  // The first of a function are those that were selected for it.
  void arrived(std::size_t moment, const llvm::MachineFunction& function) override {
    if (cancellation_.requested()) return;
    const std::uint64_t now = text_hash(function);
    if (std::exchange(texts_[&function.getFunction()], now) != now) moments_.insert(moment);
  }
  const std::set<std::size_t>& moments() const { return moments_; }

 private:
  const Cancellation& cancellation_;
  TextWatch ir_;
  std::unordered_map<const llvm::Function*, std::uint64_t> texts_;
  std::set<std::size_t> moments_;
};

class ListingWatcher : public Watcher {
 public:
  ListingWatcher(const std::vector<std::size_t>& moments, const Cancellation& cancellation)
      : moments_(moments), cancellation_(cancellation) {}
  void arrived(std::size_t moment, const llvm::Function& function) override {
    list(moment, function);
  }
  void arrived(std::size_t moment, const llvm::MachineFunction& function) override {
    list(moment, function);
  }
  std::map<std::size_t, SourceLines> take() && { return std::move(listed_); }

 private:
  void list(std::size_t moment, const auto& function) {
    if (cancellation_.requested() || !std::ranges::binary_search(moments_, moment)) return;
    SourceLines& lines = listed_[moment];
    if (!lines.empty()) lines.push_back({});
    list_function(function, lines);
  }

  const std::vector<std::size_t>& moments_;
  const Cancellation& cancellation_;
  std::map<std::size_t, SourceLines> listed_;
};

struct Watched {
  std::string assembly;
  std::vector<std::string> passes;  // by moment
};
Watched generate_watched(llvm::Module& module, llvm::TargetMachine& machine, Watcher& watcher,
                         std::optional<std::size_t> last_moment) {
  machine.Options.MCOptions.AsmVerbose = true;
  llvm::SmallVector<char, 0> text;
  llvm::raw_svector_ostream out(text);
  PostedPasses passes(watcher, last_moment);
  passes.add(new llvm::TargetLibraryInfoWrapperPass(machine.getTargetTriple()));
  CHECK(!machine.addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::AssemblyFile),
        "no assembly printer");
  passes.run(module);
  return {std::string(text.data(), text.size()), passes.names()};
}

}  // namespace

Generation generate_recorded(llvm::Module& module, llvm::TargetMachine& machine,
                             const Cancellation& cancellation) {
  ChangeWatcher watcher(module, cancellation);
  Watched watched = generate_watched(module, machine, watcher, std::nullopt);
  Generation generation{std::move(watched.assembly), {}};
  for (const std::size_t moment : watcher.moments())
    generation.passes.push_back({watched.passes[moment], moment});
  return generation;
}

std::map<std::size_t, SourceLines> list_generation(llvm::Module& module,
                                                   llvm::TargetMachine& machine,
                                                   const std::vector<std::size_t>& moments,
                                                   const Cancellation& cancellation) {
  if (moments.empty()) return {};
  ListingWatcher watcher(moments, cancellation);
  generate_watched(module, machine, watcher, moments.back());
  return std::move(watcher).take();
}

}  // namespace loopglass::codegen
