// Deriving the stages of a Session, each under a key of what it depends on.
#include "core/session_state.h"

#include "core/fusion/edits.h"
#include "core/fusion/find_strategy.h"
#include "core/import_model.h"
#include "core/loop/buffers.h"
#include "core/loop/flops.h"
#include "core/loop/interpreter.h"
#include "core/loop/text.h"
#include "core/ops/written_kernel.h"
#include "core/support/check.h"
#include "core/support/concurrently.h"
#include "core/support/hash.h"
#include "core/te/flops.h"

#include <fmt/format.h>

#include <atomic>

namespace loopglass {
namespace {

// What a graph is made of. Nodes and values are immutable and shared, so addresses do for contents
// as long as it is kept (KnownGraph): a pass that changed nothing changes no key below it.
std::uint64_t identity_of(const graph::Graph& graph, std::uint64_t generation) {
  Hasher hasher;
  hasher.value(generation);
  for (const graph::NodePtr& node : graph.nodes())
    hasher.value(reinterpret_cast<std::uintptr_t>(node.get()));
  for (graph::ValueId id : graph.inputs()) hasher.value(id.value);
  for (graph::ValueId id : graph.outputs()) hasher.value(id.value);
  // Constants too are values.
  for (const graph::NodePtr& node : graph.nodes())
    for (graph::ValueId id : node->inputs)
      if (id.valid()) hasher.value(reinterpret_cast<std::uintptr_t>(graph.find(id)));
  return hasher.digest();
}

std::vector<pass::FuncPass> enabled(std::vector<pass::FuncPass> passes,
                                    const std::set<std::string>& disabled) {
  std::erase_if(passes,
                [&](const pass::FuncPass& pass) { return disabled.contains(pass.info.name); });
  return passes;
}

// The pipeline without the passes that are switched off.
pass::Pipeline enabled(const pass::Pipeline& pipeline, const std::set<std::string>& disabled) {
  pass::Pipeline result;
  for (pass::PipelineEntry entry : pipeline.entries) {
    std::erase_if(entry.passes, [&](const std::string& pass) { return disabled.contains(pass); });
    if (!entry.passes.empty()) result.entries.push_back(std::move(entry));
  }
  return result;
}

// What the symbols stand for.
ops::Extents extents_of(const fusion::KernelProgram& kernel) {
  ops::Extents extents;
  for (std::size_t k = 0; k < kernel.extents.size(); ++k)
    extents.emplace(kernel.program.symbols[k], kernel.extents[k]);
  return extents;
}

// Of one run.
std::int64_t flops_of(const fusion::KernelProgram& kernel) {
  const ops::Extents extents = extents_of(kernel);
  if (kernel.nest) return loop::flops(*kernel.nest, extents);
  return te::flops(extents.empty() ? kernel.program : ops::with_extents(kernel.program, extents));
}

// The names of the parameters are the kernel's own.
Result<runtime::KernelUse> use_of(const InitialKernel& initial, const kernel::Lowered& lowered,
                                  const placement::PlacedKernel& placed) {
  runtime::KernelUse use;
  use.handed_on = placed.handed_on;
  if (placed.is_view()) return use;
  use.arguments = placed.kernel.inputs;
  use.arguments.insert(use.arguments.end(), placed.kernel.outputs.begin(),
                       placed.kernel.outputs.end());
  use.places = placed.places;
  // Of the scheduled Func: lowering may flatten the shapes that packings speak of.
  use.parameters = lowered.scheduled().parameters;
  const std::vector<loop::Buffer>& own = initial.nest.parameters;
  CHECK(use.parameters.size() == own.size(), "a schedule keeps the parameters");
  for (std::size_t i = 0; i < own.size(); ++i) {
    loop::Buffer& parameter = use.parameters[i];
    const auto shape = loop::shape_of(parameter, extents_of(initial.program));
    CHECK(shape, fmt::format("the shape of '{}' follows from the symbols", parameter.name));
    parameter.shape = te::extents(*shape);
    parameter.name = own[i].name;
  }
  use.in_place = lowered.in_place;
  use.workspace_bytes = TRY(lowered.workspace.bytes(initial.program.extents));
  return use;
}

}  // namespace

Session::State::Inputs Session::State::current() const {
  std::lock_guard lock(mutex);
  return inputs;
}

void Session::State::replace(const std::function<void(SessionInputs&)>& change) {
  std::lock_guard lock(mutex);
  SessionInputs changed = *inputs;
  change(changed);
  inputs = std::make_shared<const SessionInputs>(std::move(changed));
}

// Machine code is kept: it is known by what was compiled, whatever model that came from.
void Session::State::forget_model() {
  models.clear();
  histories.clear();
  partial_graphs.clear();
  known_graphs.clear();
  last_graphs.clear();
  dominator_trees.clear();
  plans.clear();
  told_plans.clear();
  placements.clear();
  initial_kernels.clear();
  shared_kernels.clear();
  kernels.clear();
  uses.clear();
  memory_plans.clear();
  compiled.clear();
  listings.clear();
}

void Session::State::hold_kernels_of(const fusion::Plan& plan) {
  const std::size_t kernels_of_plans = plans_of_kernels * plan.groups.size();
  initial_kernels.hold(kernels_of_plans);
  shared_kernels.hold(kernels_of_plans);
  kernels.hold(kernels_of_plans);
  uses.hold(kernels_of_plans);
  compiled.hold(kernels_of_plans);
  code->hold(kernels_of_plans);
}

auto Session::State::model(const Inputs& in) -> Answer<onnx::Model> {
  if (in->model) return in->model;
  if (in->source.path.empty()) return fail(Code::UsageInvalid, "no model is open");
  return models.get(in->generation, [&]() -> Answer<onnx::Model> {
    onnx::ImportOptions import_options = options.import;
    if (!import_options.evaluate)
      import_options.evaluate = [](const ops::OpDef& op, const ops::Attributes& attributes,
                                   std::span<const Tensor> arguments, std::size_t output_count) {
        return loop::evaluate(op, attributes, arguments, output_count);
      };
    return std::make_shared<const onnx::Model>(TRY(import_model(in->source, import_options)));
  });
}

std::uint64_t Session::State::history_key(const Inputs& in) const {
  Hasher hasher;
  hasher.value(in->generation);
  hasher.text(in->pipeline ? to_text(enabled(*in->pipeline, in->disabled_passes))
                           : in->pipeline_text);
  hasher.text(in->stop_after ? to_text(*in->stop_after) : "");
  hasher.value(in->settings.memory_limit.value_or(-1));
  return hasher.digest();
}

auto Session::State::history(const Inputs& in, const Progress& progress,
                             const Cancellation& cancellation) -> Answer<pass::GraphHistory> {
  return histories.get(history_key(in), [&]() -> Answer<pass::GraphHistory> {
    const pass::Pipeline pipeline = enabled(TRY(in->pipeline), in->disabled_passes);
    auto imported = TRY(model(in));
    // The graph lives in its model.
    std::shared_ptr<const graph::Graph> first(imported, &imported->graph);
    return std::make_shared<const pass::GraphHistory>(
        TRY(pass::run(std::move(first), toolchain.graph_passes, pipeline,
                      {in->settings, in->stop_after, progress, cancellation})));
  });
}

Result<std::shared_ptr<const graph::Graph>> Session::State::graph(const Inputs& in) {
  return TRY(history(in))->steps.back().result;
}

Result<const fusion::Strategy*> Session::State::strategy(const Inputs& in) const {
  return fusion::find_strategy(toolchain.strategies, in->strategy);
}

Result<std::uint64_t> Session::State::plan_key(const Inputs& in) {
  const auto known = TRY(last_graphs.get(history_key(in), [&]() -> Answer<KnownGraph> {
    const auto last = TRY(graph(in));
    return known_graphs.get(identity_of(*last, in->generation), [&]() -> Answer<KnownGraph> {
      return std::make_shared<const KnownGraph>(KnownGraph{last, ++graphs_known});
    });
  }));
  const fusion::Strategy* chosen = TRY(strategy(in));
  Hasher hasher;
  hasher.value(known->number).text(chosen->name);
  for (const auto* edges : {&in->constraints.forced, &in->constraints.forbidden}) {
    hasher.value(edges->size());
    for (const fusion::Edge& edge : *edges)
      hasher.value(edge.producer.value).value(edge.consumer.value);
  }
  hasher.value(in->cost_model_hash);
  if (in->fusion_edits) hasher.text(fusion::to_text(*in->fusion_edits));
  return hasher.digest();
}

fusion::PlanOptions Session::State::plan_options(const Inputs& in) const {
  fusion::PlanOptions plan_options;
  plan_options.constraints = in->constraints;
  plan_options.cost = in->cost_model ? in->cost_model : typical_costs;
  plan_options.edits = in->fusion_edits;
  return plan_options;
}

auto Session::State::plan(const Inputs& in) -> Answer<fusion::Plan> {
  return plans.get(TRY(plan_key(in)), [&]() -> Answer<fusion::Plan> {
    auto optimised = TRY(graph(in));
    const fusion::Strategy* chosen = TRY(strategy(in));
    auto derived = std::make_shared<fusion::Plan>(TRY(chosen->plan(*optimised, plan_options(in))));
    TRY_VOID(fusion::verify(*derived, *optimised));
    hold_kernels_of(*derived);
    return derived;
  });
}

// Whoever wants the events first has made the plan as well.
auto Session::State::told_plan(const Inputs& in) -> Answer<fusion::Plan> {
  const std::uint64_t key = TRY(plan_key(in));
  const auto told = TRY(told_plans.get(key, [&]() -> Answer<fusion::Plan> {
    const auto optimised = TRY(graph(in));
    fusion::PlanOptions options = plan_options(in);
    options.record_events = true;
    auto derived =
        std::make_shared<fusion::Plan>(TRY(TRY(strategy(in))->plan(*optimised, options)));
    TRY_VOID(fusion::verify(*derived, *optimised));
    return derived;
  }));
  TRY(plans.get(key, [&]() -> Answer<fusion::Plan> {
    auto plain = std::make_shared<fusion::Plan>(*told);
    plain->events.clear();
    hold_kernels_of(*plain);
    return plain;
  }));
  return told;
}

auto Session::State::placement(const Inputs& in) -> Answer<placement::Placement> {
  return placements.get(TRY(plan_key(in)), [&]() -> Answer<placement::Placement> {
    const auto optimised = TRY(graph(in));
    const auto groups = TRY(plan(in));
    std::vector<fusion::KernelProgram> programs;
    for (const fusion::Group& group : groups->groups) {
      // One that cannot be made says so when it is asked for; the others can be looked at.
      auto program = fusion::kernel_program(*optimised, group);
      programs.push_back(program ? std::move(*program) : fusion::interface_of(*optimised, group));
    }
    return std::make_shared<const placement::Placement>(
        placement::place_values(*optimised, programs, options.share_memory));
  });
}

auto Session::State::initial_kernel(const Inputs& in, fusion::GroupId group)
    -> Answer<InitialKernel> {
  const auto groups = TRY(plan(in));
  if (group.value >= groups->groups.size())
    return fail(Code::GraphEntityUnknown, fmt::format("there is no group {}; the plan has {}",
                                                      group.value, groups->groups.size()));
  const std::uint64_t key = Hasher().value(TRY(plan_key(in))).value(group.value).digest();
  return initial_kernels.get(key, [&]() -> Answer<InitialKernel> {
    const fusion::Group& described = groups->group(group);
    const auto all = TRY(placement(in));
    const placement::PlacedKernel& placed = all->kernels[group.value];
    auto kernel = std::make_shared<InitialKernel>();
    kernel->is_view = placed.is_view();
    kernel->program = placed.is_view() || placed.is_missing()
                          ? TRY(fusion::kernel_program(*TRY(graph(in)), described))
                          : placed.kernel;
    kernel->flops = flops_of(kernel->program);
    kernel->nest = fusion::initial_nest(kernel->program, described.name);
    kernel->form = loop::nameless_form(kernel->nest);
    return kernel;
  });
}

Result<std::optional<schedule::Trace>> Session::State::own_schedule(const Inputs& in,
                                                                    fusion::GroupId group) {
  if (in->schedules.empty()) return std::nullopt;
  return in->schedules.find(TRY(initial_kernel(in, group))->form);
}

kernel::Tools Session::State::chosen_tools(const Inputs& in) const {
  return {tools.machine, enabled(tools.loop_passes, in->disabled_passes), tools.llvm_passes};
}

Result<std::uint64_t> Session::State::kernel_key(const Inputs& in, fusion::GroupId group) {
  Hasher hasher;
  hasher.value(TRY(plan_key(in))).value(group.value);
  // One for which there is no kernel shares nothing.
  if (const auto shared = shared_key(in, group)) hasher.value(*shared);
  return hasher.digest();
}

Diagnostic Session::State::of_kernel(const Inputs& in, fusion::GroupId group, Diagnostic problem) {
  if (!problem.where.empty() || problem.code == Code::GraphEntityUnknown) return problem;
  if (const auto groups = plan(in); groups && group.value < (*groups)->groups.size())
    problem.where = fmt::format("kernel '{}'", (*groups)->group(group).name);
  return problem;
}

Result<std::uint64_t> Session::State::shared_key(const Inputs& in, fusion::GroupId group) {
  Hasher hasher;
  hasher.text(TRY(initial_kernel(in, group))->form.bytes);
  for (const pass::FuncPass& pass : enabled(toolchain.loop_passes, in->disabled_passes))
    hasher.text(pass.info.name).value(0);
  if (const auto own = TRY(own_schedule(in, group)))
    hasher.text("schedule").text(schedule::to_script(*own));
  return hasher.digest();
}

auto Session::State::shared_kernel(const Inputs& in, fusion::GroupId group,
                                   const Cancellation& cancellation) -> Answer<SharedKernel> {
  const auto key = shared_key(in, group);
  if (!key) return std::unexpected(of_kernel(in, group, key.error()));
  auto shared = shared_kernels.get(*key, [&]() -> Answer<SharedKernel> {
    if (cancellation.requested()) return fail(Code::Cancelled, "scheduling was cancelled");
    const auto initial = TRY(initial_kernel(in, group));
    const kernel::Tools chosen = chosen_tools(in);
    auto scheduled =
        TRY(kernel::schedule(initial->nest, TRY(own_schedule(in, group)), chosen, cancellation));
    return std::make_shared<const SharedKernel>(
        initial->form, TRY(kernel::lower(std::move(scheduled), chosen, cancellation)));
  });
  if (!shared) return std::unexpected(of_kernel(in, group, shared.error()));
  return shared;
}

auto Session::State::kernel(const Inputs& in, fusion::GroupId group,
                            const Cancellation& cancellation) -> Answer<KernelStages> {
  const auto key = kernel_key(in, group);
  if (!key) return std::unexpected(of_kernel(in, group, key.error()));
  return kernels.get(*key, [&]() -> Answer<KernelStages> {
    auto stages = derive_kernel(in, group, cancellation);
    if (!stages) return std::unexpected(of_kernel(in, group, std::move(stages).error()));
    return std::make_shared<const KernelStages>(*std::move(stages));
  });
}

// What is shown is what runs: where names have led to another schedule, it is the shared one's.
Result<KernelStages> Session::State::derive_kernel(const Inputs& in, fusion::GroupId group,
                                                   const Cancellation& cancellation) {
  const auto shared = TRY(shared_kernel(in, group, cancellation));
  const auto initial = TRY(initial_kernel(in, group));
  KernelStages stages;
  stages.group = group;
  stages.is_view = initial->is_view;
  stages.program = initial->program;
  stages.flops = initial->flops;
  stages.use = *TRY(use(in, group, cancellation));
  kernel::Lowered& lowered = stages;
  // Names and origins, too.
  if (loop::to_text(shared->lowered.initial) == loop::to_text(initial->nest)) {
    lowered = shared->lowered;
    return stages;
  }
  const kernel::Tools chosen = chosen_tools(in);
  const auto derived = [&](const std::optional<schedule::Trace>& trace) -> Result<kernel::Lowered> {
    auto scheduled = TRY(kernel::schedule(initial->nest, trace, chosen, cancellation));
    return kernel::lower(std::move(scheduled), chosen, cancellation);
  };
  lowered = TRY(derived(TRY(own_schedule(in, group))));
  if (loop::nameless_form(lowered.lowered()).bytes !=
      loop::nameless_form(shared->lowered.lowered()).bytes)
    lowered = TRY(derived(kernel::renamed(shared->lowered.trace, shared->form, initial->form)));
  return stages;
}

auto Session::State::kernel_code(const Inputs& in, fusion::GroupId group,
                                 const Cancellation& cancellation)
    -> Answer<codegen::CompiledKernel> {
  const auto shared = TRY(shared_kernel(in, group, cancellation));
  auto loaded = compiled.get(TRY(shared_key(in, group)), [&]() -> Answer<codegen::CompiledKernel> {
    // LLVM, once it runs, is not interrupted.
    if (cancellation.requested()) return fail(Code::Cancelled, "compiling was cancelled");
    return code->get(shared->lowered);
  });
  if (!loaded) return std::unexpected(of_kernel(in, group, loaded.error()));
  return loaded;
}

auto Session::State::listings_of(const Inputs& in, fusion::GroupId group,
                                 const Cancellation& cancellation)
    -> Answer<codegen::KernelListings> {
  auto stages = TRY(kernel(in, group, cancellation));
  return listings.get(TRY(kernel_key(in, group)), [&]() -> Answer<codegen::KernelListings> {
    auto made = codegen::list(stages->lowered(), stages->compile_options(), cancellation);
    if (!made && made.error().where.empty())
      made.error().where = fmt::format("kernel '{}'", stages->lowered().name);
    return made;
  });
}

auto Session::State::memory_plan(const Inputs& in, const Progress& progress,
                                 const Cancellation& cancellation) -> Answer<runtime::MemoryPlan> {
  auto groups = TRY(plan(in));
  Hasher hasher;
  for (const fusion::Group& group : groups->groups) hasher.value(TRY(kernel_key(in, group.id)));
  return memory_plans.get(
      hasher.value(TRY(plan_key(in))).digest(), [&]() -> Answer<runtime::MemoryPlan> {
        TRY_VOID(for_each_group(
            *groups, "scheduling",
            [&](fusion::GroupId group) -> Result<void> {
              TRY(use(in, group, cancellation));
              return {};
            },
            progress, cancellation));
        std::vector<runtime::KernelUse> of_kernels;
        for (const fusion::Group& group : groups->groups)
          of_kernels.push_back(*TRY(use(in, group.id)));
        return std::make_shared<const runtime::MemoryPlan>(
            TRY(runtime::plan_memory(*TRY(graph(in)), of_kernels, TRY(placement(in))->shared)));
      });
}

Result<bool> Session::State::is_missing(const Inputs& in, fusion::GroupId group) {
  return TRY(placement(in))->kernels[group.value].is_missing();
}

auto Session::State::use(const Inputs& in, fusion::GroupId group, const Cancellation& cancellation)
    -> Answer<runtime::KernelUse> {
  const auto placed = TRY(placement(in));
  return uses.get(TRY(kernel_key(in, group)), [&]() -> Answer<runtime::KernelUse> {
    const placement::PlacedKernel& kernel = placed->kernels[group.value];
    if (kernel.is_missing())
      return std::make_shared<const runtime::KernelUse>(
          runtime::use_of_missing(*TRY(graph(in)), kernel));
    const auto shared = TRY(shared_kernel(in, group, cancellation));
    return std::make_shared<const runtime::KernelUse>(
        TRY(use_of(*TRY(initial_kernel(in, group)), shared->lowered, kernel)));
  });
}

Result<std::vector<MissingKernel>> Session::State::missing_kernels(const Inputs& in) {
  std::vector<MissingKernel> missing;
  const auto groups = TRY(plan(in));
  for (const fusion::Group& group : groups->groups) {
    if (!TRY(is_missing(in, group.id))) continue;
    auto reason = shared_kernel(in, group.id);
    if (reason)
      return fail(Code::InternalDefect, "a kernel without a program has stages", group.name);
    missing.push_back({group.id, std::move(reason).error()});
  }
  return missing;
}

Result<void> Session::State::compile_all(const Inputs& in, const fusion::Plan& plan,
                                         const Progress& progress,
                                         const Cancellation& cancellation) {
  return for_each_group(
      plan, "compiling",
      [&](fusion::GroupId group) -> Result<void> {
        if (TRY(is_missing(in, group)) || TRY(initial_kernel(in, group))->is_view) return {};
        TRY(kernel_code(in, group, cancellation));
        return {};
      },
      progress, cancellation);
}

Result<void> Session::State::for_each_group(
    const fusion::Plan& plan, const std::string& doing,
    const std::function<Result<void>(fusion::GroupId)>& work, const Progress& progress,
    const Cancellation& cancellation) const {
  std::atomic<std::size_t> next = 0, done = 0;
  std::mutex first_mutex;
  std::optional<Diagnostic> problem;
  std::atomic<bool> stop = false;
  auto take = [&] {
    try {
      for (std::size_t i = next++; i < plan.groups.size() && !stop; i = next++) {
        if (cancellation.requested()) break;
        auto result = work(plan.groups[i].id);
        std::lock_guard lock(first_mutex);
        if (!result && !problem) problem = result.error();
        if (!result) stop = true;
        ++done;
        if (progress)
          progress(doing + " " + plan.groups[i].name,
                   static_cast<double>(done) / static_cast<double>(plan.groups.size()));
      }
    } catch (...) {
      stop = true;
      throw;
    }
  };
  run_on_threads(options.compile_threads, take);
  if (problem) return std::unexpected(std::move(*problem));
  if (cancellation.requested()) return fail(Code::Cancelled, doing + " was cancelled");
  return {};
}

}  // namespace loopglass
