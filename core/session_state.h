// What a Session keeps: the inputs at hand, as one immutable value that setters replace, and a memo
// for every stage. A derivation works on the inputs it began with, whatever is set meanwhile.
#pragma once

#include "core/codegen/kernel_listings.h"
#include "core/kernel/code_store.h"
#include "core/kernel/schedules.h"
#include "core/session.h"
#include "core/support/memo.h"

#include <set>

namespace loopglass {

struct SessionInputs {
  std::uint64_t generation = 0;  // of the model: counts calls of open()
  std::string name;
  onnx::Source source;  // one of these two
  std::shared_ptr<const onnx::Model> model;
  Result<pass::Pipeline> pipeline;  // of graph passes; how `pipeline_text` reads
  std::string pipeline_text;
  std::set<std::string> disabled_passes;
  std::optional<pass::StopAfter> stop_after;
  pass::Settings settings;
  std::string strategy;
  fusion::Constraints constraints;
  std::shared_ptr<const fusion::CostModel> cost_model;
  std::uint64_t cost_model_hash = 0;  // of its contents
  std::shared_ptr<const fusion::EditScript> fusion_edits;
  kernel::Schedules schedules;  // a person's
};

// A graph that is known by a number: it is kept with it, so that no other comes to lie where its
// nodes and values do.
struct KnownGraph {
  std::shared_ptr<const graph::Graph> graph;
  std::uint64_t number = 0;  // never given twice
};

// What kernels of equal form have in common: all but names. It bears those of the kernel that was
// asked for first.
struct SharedKernel {
  loop::NamelessForm form;
  kernel::Lowered lowered;
};

struct Session::State {
  using Inputs = std::shared_ptr<const SessionInputs>;
  template <class T>
  using Answer = Result<std::shared_ptr<const T>>;

  Toolchain toolchain;
  SessionOptions options;
  // By the machine of the toolchain, where nobody sets another model.
  std::shared_ptr<const fusion::CostModel> typical_costs;
  kernel::Tools tools;  // of all loop passes, those that are switched off among them

  mutable std::mutex mutex;  // guards `inputs`
  Inputs inputs;

  // What whoever goes back and forth between a few settings asks for again. Histories of one model
  // share most of what they hold.
  static constexpr std::size_t settings_kept = 32;
  // Of the kernels of one plan, every stage is asked for again before the next begins: what is kept
  // by kernel holds so many plans as the largest one that was made, and small ones at once.
  static constexpr std::size_t plans_of_kernels = 4, kernels_kept = 1024;

  Memo<onnx::Model> models{1};  // that is open
  Memo<pass::GraphHistory> histories{settings_kept};
  Memo<graph::Graph> partial_graphs{64};           // in the middle of a step
  Memo<KnownGraph> known_graphs{settings_kept};    // by what they are made of
  Memo<KnownGraph> last_graphs{settings_kept};     // of histories
  Memo<graph::DominatorTree> dominator_trees{64};  // of steps
  Memo<fusion::Plan> plans{settings_kept};
  Memo<fusion::Plan> told_plans{2};  // with the events that led to them, which may be very many
  Memo<placement::Placement> placements{settings_kept};
  Memo<InitialKernel> initial_kernels{kernels_kept};
  Memo<SharedKernel> shared_kernels{kernels_kept};
  Memo<KernelStages> kernels{kernels_kept};  // that were looked at
  Memo<runtime::KernelUse> uses{kernels_kept};
  Memo<runtime::MemoryPlan> memory_plans{settings_kept};
  std::unique_ptr<kernel::CodeStore> code;               // by what is compiled
  Memo<codegen::CompiledKernel> compiled{kernels_kept};  // by what is scheduled
  Memo<codegen::KernelListings> listings{8};             // of those that were looked at last
  std::atomic<int> executors = 0;
  std::atomic<std::uint64_t> graphs_known = 0;

  Inputs current() const;
  void replace(const std::function<void(SessionInputs&)>& change);
  void forget_model();
  void hold_kernels_of(const fusion::Plan& plan);

  // Every stage's key follows from the inputs and the keys of the stages above it.
  Answer<onnx::Model> model(const Inputs& inputs);
  std::uint64_t history_key(const Inputs& inputs) const;
  Answer<pass::GraphHistory> history(const Inputs& inputs, const Progress& progress = {},
                                     const Cancellation& cancellation = {});
  Result<std::shared_ptr<const graph::Graph>> graph(const Inputs& inputs);
  Result<std::uint64_t> plan_key(const Inputs& inputs);
  Answer<fusion::Plan> plan(const Inputs& inputs);
  Answer<fusion::Plan> told_plan(const Inputs& inputs);
  Answer<placement::Placement> placement(const Inputs& inputs);
  Answer<InitialKernel> initial_kernel(const Inputs& inputs, fusion::GroupId group);
  Result<std::optional<schedule::Trace>> own_schedule(const Inputs& inputs, fusion::GroupId group);
  Result<std::uint64_t> kernel_key(const Inputs& inputs, fusion::GroupId group);
  Result<std::uint64_t> shared_key(const Inputs& inputs, fusion::GroupId group);
  Answer<SharedKernel> shared_kernel(const Inputs& inputs, fusion::GroupId group,
                                     const Cancellation& cancellation = {});
  Answer<KernelStages> kernel(const Inputs& inputs, fusion::GroupId group,
                              const Cancellation& cancellation = {});
  Answer<codegen::CompiledKernel> kernel_code(const Inputs& inputs, fusion::GroupId group,
                                              const Cancellation& cancellation = {});
  Answer<codegen::KernelListings> listings_of(const Inputs& inputs, fusion::GroupId group,
                                              const Cancellation& cancellation);

  Answer<runtime::MemoryPlan> memory_plan(const Inputs& inputs, const Progress& progress,
                                          const Cancellation& cancellation);
  // Whether a group has no program: an operator that is not known, or not computed as it is used.
  Result<bool> is_missing(const Inputs& inputs, fusion::GroupId group);
  Answer<runtime::KernelUse> use(const Inputs& inputs, fusion::GroupId group,
                                 const Cancellation& cancellation = {});
  Result<std::vector<MissingKernel>> missing_kernels(const Inputs& inputs);
  Result<KernelStages> derive_kernel(const Inputs& inputs, fusion::GroupId group,
                                     const Cancellation& cancellation);
  // A problem of a kernel says of which, if it says nothing else.
  Diagnostic of_kernel(const Inputs& inputs, fusion::GroupId group, Diagnostic problem);
  kernel::Tools chosen_tools(const Inputs& inputs) const;
  Result<const fusion::Strategy*> strategy(const Inputs& inputs) const;
  fusion::PlanOptions plan_options(const Inputs& inputs) const;
  // Asks `work` for every group of the plan, several at once; the first problem ends it. `doing`:
  // "compiling".
  Result<void> for_each_group(const fusion::Plan& plan, const std::string& doing,
                              const std::function<Result<void>(fusion::GroupId)>& work,
                              const Progress& progress, const Cancellation& cancellation) const;
  // Derives machine code of all groups.
  Result<void> compile_all(const Inputs& inputs, const fusion::Plan& plan, const Progress& progress,
                           const Cancellation& cancellation);
};

}  // namespace loopglass
