// The chain of memoised stages: from a model file to timings. No Qt.
//
// Data goes down the table of stages and never back up. A Session is given its inputs (model,
// options, pass tables) and derives everything else on demand; each result is an immutable shared
// value memoised under a hash of what it depends on, so editing one kernel's schedule recompiles
// that kernel and nothing else. All functions are thread-safe and may be called from job threads;
// the setters replace an input and leave earlier results valid for whoever still holds them.
#pragma once

#include "core/codegen/kernel.h"
#include "core/fusion/kernel.h"
#include "core/graph/dominators.h"
#include "core/kernel/code_store.h"
#include "core/kernel/schedules.h"
#include "core/loop/func.h"
#include "core/onnx/import.h"
#include "core/runtime/benchmark.h"
#include "core/toolchain.h"

namespace loopglass::codegen {
class KernelListings;
}
namespace loopglass::measure {
class WorkerPool;
}

namespace loopglass {

struct SessionOptions {
  onnx::ImportOptions import;
  std::string strategy;  // empty: the first
  std::string pipeline;  // a preset's name or a pipeline's text; empty: the first preset
  std::vector<std::string> disabled_passes;
  std::vector<std::string> disabled_llvm_passes = {};  // optional ones (codegen/llvm_passes.h)
  std::optional<pass::StopAfter> stop_after;
  pass::Settings settings;
  // Whether what concatenates, cuts and reshapes may do so without copies (placement/placement.h).
  bool share_memory = true;
  int compile_threads = 2;
  // Object code that outlives the session; null: none.
  std::shared_ptr<codegen::ObjectCache> object_cache = nullptr;
  // Where networks are timed; null: in this process, which wrong code then takes with it.
  std::shared_ptr<measure::WorkerPool> workers = nullptr;
};

// A group before anything is scheduled.
struct InitialKernel {
  fusion::KernelProgram program;  // 5: what is left to compute
  bool is_view = false;           // which is not run
  std::int64_t flops = 0;         // arithmetic operations of one run
  loop::Func nest;
  loop::NamelessForm form;
};

// One group on its way from tensor expressions to machine code (stages 5 to 9). Its nest's stages,
// 6 and 7, are those of any kernel.
struct KernelStages : kernel::Lowered {
  fusion::GroupId group;
  // 5: what is left to compute; of a view, which is not run, what it would be
  fusion::KernelProgram program;
  runtime::KernelUse use;  // but for the code's part of it
  bool is_view = false;
  std::int64_t flops = 0;  // arithmetic operations of one run
};

// A group for which there is no kernel, and why.
struct MissingKernel {
  fusion::GroupId group;
  Diagnostic reason;
};
// What an executor does about them: a run has no results without them, but the others can be timed,
// on random numbers in the place of what the missing ones would give.
enum class Missing : std::uint8_t { Refuse, TimeOthers };

class Session {
 public:
  Session(Toolchain toolchain, SessionOptions options);
  ~Session();

  // Replaces the model. The import result stays available through model().
  Result<void> open(const onnx::Source& source);
  void open(onnx::Model model, std::string name);

  // Another session of the same inputs, to be changed without this one. It derives everything anew,
  // but for the object code that outlives both.
  std::unique_ptr<Session> twin() const;

  const Toolchain& toolchain() const;
  std::string model_name() const;
  Result<std::shared_ptr<const onnx::Model>> model();               // 1
  Result<std::shared_ptr<const pass::GraphHistory>> graph_history(  // 2; step 0 is the import
      const Progress& progress = {}, const Cancellation& cancellation = {});
  Result<std::shared_ptr<const graph::Graph>> graph();  // last of it
  // The graph after the first `rewrites` rewrites of a step's pass, which runs again for it.
  Result<std::shared_ptr<const graph::Graph>> graph_at(std::size_t step, std::size_t rewrites,
                                                       const Cancellation& cancellation = {});
  Result<std::shared_ptr<const graph::DominatorTree>> dominators(std::size_t step,
                                                                 graph::Direction direction);  // 3
  Result<std::shared_ptr<const fusion::Plan>> plan();                                          // 4
  // The same plan, made again with the events that led to it.
  Result<std::shared_ptr<const fusion::Plan>> told_plan();
  // Which results lie in memory of others, and what is left for each group's kernel.
  Result<std::shared_ptr<const placement::Placement>> placement();
  Result<std::shared_ptr<const KernelStages>> kernel(fusion::GroupId group,  // 5 to 7
                                                     const Cancellation& cancellation = {});
  Result<std::shared_ptr<const codegen::CompiledKernel>> compiled(
      fusion::GroupId group,  // 8, 9
      const Cancellation& cancellation = {});
  // LLVM IR and assembly to look at, which needs no compiled kernel.
  Result<std::shared_ptr<const codegen::KernelListings>> listings(
      fusion::GroupId group, const Cancellation& cancellation = {});
  // What of a kernel does not hang on its schedule, with nothing else derived.
  Result<std::shared_ptr<const InitialKernel>> initial_kernel(fusion::GroupId group);
  // Groups that cannot be compiled, in the plan's order: kernel() of these fails, and the network
  // as a whole does not run.
  Result<std::vector<MissingKernel>> missing_kernels();
  // Where intermediates will live, for the plan's kernels as they are scheduled now; compiles
  // nothing.
  Result<std::shared_ptr<const runtime::MemoryPlan>> memory_plan(
      const Progress& progress = {}, const Cancellation& cancellation = {});
  // Compiles what is not compiled yet (on compile_threads). Where kernels are missing it says
  // which, with the code of the first one's reason, before anything is compiled.
  Result<std::shared_ptr<const runtime::CompiledNetwork>> network(
      const Progress& progress = {}, const Cancellation& cancellation = {},
      Missing missing = Missing::Refuse);
  // The same as a fresh executor, in this process.
  Result<std::shared_ptr<runtime::Executor>> executor(const Progress& progress = {},
                                                      const Cancellation& cancellation = {},
                                                      Missing missing = Missing::Refuse);
  // Of the kernels there are. Says what measure::time_networks does.
  Result<runtime::BenchmarkReport> benchmark(const runtime::BenchmarkOptions& options,
                                             const Progress& progress = {});

  // A person's changes.
  void set_strategy(std::string strategy);
  // What every strategy is asked to respect, by nodes of the optimised graph.
  void set_constraints(fusion::Constraints constraints);
  fusion::Constraints constraints() const;
  // A person's partition, which strategy "manual" makes; null: none. By names, so it outlives
  // passes.
  void set_fusion_edits(std::shared_ptr<const fusion::EditScript> edits);
  std::shared_ptr<const fusion::EditScript> fusion_edits() const;
  // What strategies that weigh costs go by; null: the defaults.
  void set_cost_model(std::shared_ptr<const fusion::CostModel> cost_model);
  std::shared_ptr<const fusion::CostModel> cost_model() const;  // never null
  // UsageInvalid: the text is not a pipeline of the toolchain's passes; the old one stays.
  Result<void> set_pipeline(const std::string& text);
  std::string pipeline() const;  // as it was set
  void set_pass_enabled(const std::string& pass, bool enabled);
  void set_stop_after(std::optional<pass::StopAfter> stop);
  void set_settings(pass::Settings settings);
  pass::Settings settings() const;
  bool pass_enabled(const std::string& pass) const;
  std::string strategy() const;
  // Replaces the default schedule of a group's kernel and of all that compute the same, under
  // whatever names and in whatever plan; nullopt restores it.
  void set_schedule(fusion::GroupId group, std::optional<schedule::Trace> trace);
  // The same, for a nest that need not be in the plan at hand.
  void set_schedule(const loop::NamelessForm& nest, std::optional<schedule::Trace> trace);
  // In the place of all that were set.
  void set_schedules(kernel::Schedules schedules);

  // How often each stage was really derived (not answered from the memo), by stage name: for tests
  // and the status bar.
  std::map<std::string, int> derivations() const;
  // How the machine code at hand came about.
  kernel::CodeStore::Counts code_counts() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace loopglass
