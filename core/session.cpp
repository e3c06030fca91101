// The Session's face: inputs, setters and stages; session_stages.cpp derives them.
#include "core/session.h"

#include "core/fusion/cost_model.h"
#include "core/machine/machine_json.h"
#include "core/measure/networks.h"
#include "core/session_state.h"
#include "core/support/counted.h"
#include "core/support/hash.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace loopglass {

Session::Session(Toolchain toolchain, SessionOptions options) : state_(std::make_unique<State>()) {
  SessionInputs inputs;
  inputs.strategy = options.strategy;
  inputs.disabled_passes.insert(options.disabled_passes.begin(), options.disabled_passes.end());
  inputs.stop_after = options.stop_after;
  inputs.settings = options.settings;
  state_->toolchain = std::move(toolchain);
  inputs.pipeline_text = options.pipeline;
  inputs.pipeline = state_->toolchain.parse_pipeline(options.pipeline);
  state_->inputs = std::make_shared<const SessionInputs>(std::move(inputs));
  state_->options = std::move(options);
  state_->tools = {state_->toolchain.machine,
                   state_->toolchain.loop_passes,
                   {.without = state_->options.disabled_llvm_passes}};
  state_->typical_costs = std::make_shared<const fusion::CostModel>(state_->toolchain.machine);
  state_->code = std::make_unique<kernel::CodeStore>(state_->options.object_cache);
}

Session::~Session() = default;

Result<void> Session::open(const onnx::Source& source) {
  std::error_code error;
  if (!source.bytes && !std::filesystem::is_regular_file(source.path, error))
    return fail(Code::ModelUnreadable,
                std::filesystem::exists(source.path, error)
                    ? fmt::format("'{}' is not a regular file", source.path.string())
                    : fmt::format("there is no file '{}'", source.path.string()));
  state_->replace([&](SessionInputs& inputs) {
    ++inputs.generation;
    inputs.source = source;
    inputs.model = nullptr;
    inputs.name = source.name();
    inputs.schedules.clear();
    inputs.constraints = {};
    inputs.fusion_edits = nullptr;
  });
  state_->forget_model();
  return {};
}

void Session::open(onnx::Model model, std::string name) {
  state_->replace([&](SessionInputs& inputs) {
    ++inputs.generation;
    inputs.source = {};
    inputs.model = std::make_shared<const onnx::Model>(std::move(model));
    inputs.name = std::move(name);
    inputs.schedules.clear();
    inputs.constraints = {};
    inputs.fusion_edits = nullptr;
  });
  state_->forget_model();
}

std::unique_ptr<Session> Session::twin() const {
  auto twin = std::make_unique<Session>(state_->toolchain, state_->options);
  twin->state_->replace([&](SessionInputs& inputs) { inputs = *state_->current(); });
  return twin;
}

const Toolchain& Session::toolchain() const { return state_->toolchain; }
std::string Session::model_name() const { return state_->current()->name; }

Result<std::shared_ptr<const onnx::Model>> Session::model() {
  return state_->model(state_->current());
}

Result<std::shared_ptr<const pass::GraphHistory>> Session::graph_history(
    const Progress& progress, const Cancellation& cancellation) {
  return state_->history(state_->current(), progress, cancellation);
}

Result<std::shared_ptr<const graph::Graph>> Session::graph() {
  return state_->graph(state_->current());
}

Result<std::shared_ptr<const graph::Graph>> Session::graph_at(std::size_t step,
                                                              std::size_t rewrites,
                                                              const Cancellation& cancellation) {
  const State::Inputs inputs = state_->current();
  const auto history = TRY(state_->history(inputs));
  if (step >= history->steps.size())
    return fail(Code::UsageInvalid, fmt::format("there is no step {}; the history has {}", step,
                                                history->steps.size()));
  const auto& recorded = history->steps[step];
  if (step == 0 || rewrites >= recorded.rewrites.size()) return recorded.result;
  const auto key = Hasher().value(state_->history_key(inputs)).value(step).value(rewrites).digest();
  return state_->partial_graphs.get(key, [&]() -> State::Answer<graph::Graph> {
    const auto& table = state_->toolchain.graph_passes;
    const auto pass =
        std::find_if(table.begin(), table.end(), [&](const pass::GraphPass& candidate) {
          return candidate.info.name == recorded.pass.name;
        });
    return TRY(pass::apply(*pass, history->steps[step - 1].result, rewrites,
                           {inputs->settings, {}, {}, cancellation}))
        .result;
  });
}

Result<std::shared_ptr<const graph::DominatorTree>> Session::dominators(
    std::size_t step, graph::Direction direction) {
  State::Inputs inputs = state_->current();
  auto history = TRY(state_->history(inputs));
  if (step >= history->steps.size())
    return fail(Code::UsageInvalid, fmt::format("there is no step {}; the history has {}", step,
                                                history->steps.size()));
  // Passes that changed nothing share the graph of the step before them.
  while (step > 0 && history->steps[step].result == history->steps[step - 1].result) --step;
  const std::uint64_t key =
      Hasher().value(state_->history_key(inputs)).value(step).value(direction).digest();
  return state_->dominator_trees.get(key, [&]() -> State::Answer<graph::DominatorTree> {
    return std::make_shared<const graph::DominatorTree>(history->at(step), direction);
  });
}

Result<std::shared_ptr<const fusion::Plan>> Session::told_plan() {
  return state_->told_plan(state_->current());
}

Result<std::shared_ptr<const fusion::Plan>> Session::plan() {
  return state_->plan(state_->current());
}

Result<std::shared_ptr<const placement::Placement>> Session::placement() {
  return state_->placement(state_->current());
}

Result<std::shared_ptr<const KernelStages>> Session::kernel(fusion::GroupId group,
                                                            const Cancellation& cancellation) {
  return state_->kernel(state_->current(), group, cancellation);
}

Result<std::shared_ptr<const InitialKernel>> Session::initial_kernel(fusion::GroupId group) {
  return state_->initial_kernel(state_->current(), group);
}

Result<std::shared_ptr<const codegen::CompiledKernel>> Session::compiled(
    fusion::GroupId group, const Cancellation& cancellation) {
  return state_->kernel_code(state_->current(), group, cancellation);
}

Result<std::shared_ptr<const codegen::KernelListings>> Session::listings(
    fusion::GroupId group, const Cancellation& cancellation) {
  return state_->listings_of(state_->current(), group, cancellation);
}

Result<std::vector<MissingKernel>> Session::missing_kernels() {
  return state_->missing_kernels(state_->current());
}

Result<std::shared_ptr<const runtime::MemoryPlan>> Session::memory_plan(
    const Progress& progress, const Cancellation& cancellation) {
  return state_->memory_plan(state_->current(), progress, cancellation);
}

namespace {

// At most this many are named.
constexpr std::size_t most_named = 5;

Diagnostic describe(const std::vector<MissingKernel>& missing, const fusion::Plan& plan,
                    const graph::Graph& graph) {
  std::vector<std::string> named;
  for (std::size_t i = 0; i < std::min(missing.size(), most_named); ++i) {
    const graph::Node& node = graph.node(plan.group(missing[i].group).nodes.front());
    named.push_back(
        fmt::format("{} ({}): {}", node.name, operator_name(node), missing[i].reason.what));
  }
  if (missing.size() > most_named)
    named.push_back(fmt::format("and {} more", missing.size() - most_named));
  return {missing.front().reason.code,
          fmt::format("the network does not run as a whole: of its {} {} missing:\n    {}",
                      counted(plan.groups.size(), "kernel"),
                      missing.size() == 1 ? "1 is" : fmt::format("{} are", missing.size()),
                      fmt::join(named, "\n    ")),
          {},
          "what lies around can be compiled and timed: bench, emit, fuse, memory"};
}

}  // namespace

Result<std::shared_ptr<const runtime::CompiledNetwork>> Session::network(
    const Progress& progress, const Cancellation& cancellation, Missing when_missing) {
  State::Inputs inputs = state_->current();
  auto plan = TRY(state_->plan(inputs));
  const auto missing_kernels = TRY(state_->missing_kernels(inputs));
  if (!missing_kernels.empty() && when_missing == Missing::Refuse)
    return std::unexpected(describe(missing_kernels, *plan, *TRY(state_->graph(inputs))));
  auto memory = TRY(state_->memory_plan(inputs, progress, cancellation));
  TRY_VOID(state_->compile_all(inputs, *plan, progress, cancellation));
  std::vector<runtime::KernelInstance> instances;
  std::map<fusion::GroupId, Diagnostic> missing;
  for (const MissingKernel& kernel : missing_kernels) missing.emplace(kernel.group, kernel.reason);
  for (const fusion::Group& group : plan->groups) {
    const auto use = TRY(state_->use(inputs, group.id));
    if (const auto reason = missing.find(group.id); reason != missing.end()) {
      instances.push_back({group.id, group.name, nullptr, *use, 0, {}, reason->second});
      continue;
    }
    const auto kernel = TRY(state_->initial_kernel(inputs, group.id));
    std::shared_ptr<const codegen::CompiledKernel> code;
    if (!kernel->is_view) code = TRY(state_->kernel_code(inputs, group.id));
    instances.push_back(
        {group.id, group.name, std::move(code), *use, kernel->flops, kernel->program.extents});
  }
  auto network = std::make_shared<runtime::CompiledNetwork>();
  network->graph = TRY(state_->graph(inputs));
  network->kernels = std::move(instances);
  network->plan = std::move(memory);
  if (progress) progress("packing constants", -1);  // what comes next; nobody knows how far it is
  return network;
}

Result<std::shared_ptr<runtime::Executor>> Session::executor(const Progress& progress,
                                                             const Cancellation& cancellation,
                                                             Missing when_missing) {
  const auto compiled = TRY(network(progress, cancellation, when_missing));
  auto executor = TRY(runtime::Executor::create(*compiled));
  ++state_->executors;
  return std::shared_ptr<runtime::Executor>(std::move(executor));
}

Result<runtime::BenchmarkReport> Session::benchmark(const runtime::BenchmarkOptions& options,
                                                    const Progress& progress) {
  TRY_VOID(runtime::check(options));
  const auto compiled = TRY(network(progress, options.cancellation, Missing::TimeOthers));
  // Before anything is allocated for it.
  TRY_VOID(runtime::check_memory_to_run(*compiled->plan));
  ++state_->executors;
  runtime::BenchmarkOptions told = options;
  if (progress)
    told.on_round = [&](int round, double milliseconds) {
      progress(fmt::format("round {} of {}", round + 1, options.rounds),
               static_cast<double>(round + 1) / options.rounds);
      if (options.on_round) options.on_round(round, milliseconds);
    };
  const measure::NetworksAsked asked{{compiled.get()},
                                     {runtime::random_inputs(*compiled->graph, options.inputs)},
                                     options.threads,
                                     runtime::turns_of(told),
                                     {}};
  return runtime::report_of(*compiled,
                            TRY(measure::time_networks(asked, state_->options.workers.get())));
}

void Session::set_strategy(std::string strategy) {
  state_->replace([&](SessionInputs& inputs) { inputs.strategy = std::move(strategy); });
}

void Session::set_constraints(fusion::Constraints constraints) {
  state_->replace([&](SessionInputs& inputs) { inputs.constraints = std::move(constraints); });
}

fusion::Constraints Session::constraints() const { return state_->current()->constraints; }

void Session::set_fusion_edits(std::shared_ptr<const fusion::EditScript> edits) {
  state_->replace([&](SessionInputs& inputs) { inputs.fusion_edits = std::move(edits); });
}

std::shared_ptr<const fusion::EditScript> Session::fusion_edits() const {
  return state_->current()->fusion_edits;
}

std::shared_ptr<const fusion::CostModel> Session::cost_model() const {
  auto chosen = state_->current()->cost_model;
  return chosen ? chosen : state_->typical_costs;
}

void Session::set_cost_model(std::shared_ptr<const fusion::CostModel> cost_model) {
  // Once, and not for every key.
  const std::uint64_t hash = cost_model ? Hasher()
                                              .text(to_json(cost_model->machine()))
                                              .text(fusion::to_json(cost_model->measurements()))
                                              .digest()
                                        : 0;
  state_->replace([&](SessionInputs& inputs) {
    inputs.cost_model = std::move(cost_model);
    inputs.cost_model_hash = hash;
  });
}

Result<void> Session::set_pipeline(const std::string& text) {
  TRY_VOID(state_->toolchain.parse_pipeline(text));
  state_->replace([&](SessionInputs& inputs) {
    inputs.pipeline_text = text;
    inputs.pipeline = state_->toolchain.parse_pipeline(text);
  });
  return {};
}

std::string Session::pipeline() const {
  std::string chosen = state_->current()->pipeline_text;
  if (chosen.empty() && !state_->toolchain.presets.empty())
    return state_->toolchain.presets.front().name;
  return chosen;
}

void Session::set_stop_after(std::optional<pass::StopAfter> stop) {
  state_->replace([&](SessionInputs& inputs) { inputs.stop_after = std::move(stop); });
}

void Session::set_settings(pass::Settings settings) {
  state_->replace([&](SessionInputs& inputs) { inputs.settings = settings; });
}

pass::Settings Session::settings() const { return state_->current()->settings; }

void Session::set_pass_enabled(const std::string& pass, bool enabled) {
  state_->replace([&](SessionInputs& inputs) {
    if (enabled) inputs.disabled_passes.erase(pass);
    else inputs.disabled_passes.insert(pass);
  });
}

bool Session::pass_enabled(const std::string& pass) const {
  return !state_->current()->disabled_passes.contains(pass);
}

std::string Session::strategy() const {
  std::string chosen = state_->current()->strategy;
  if (chosen.empty() && !state_->toolchain.strategies.empty())
    return state_->toolchain.strategies.front().name;
  return chosen;
}

void Session::set_schedule(fusion::GroupId group, std::optional<schedule::Trace> trace) {
  const auto kernel = state_->initial_kernel(state_->current(), group);
  if (!kernel) return;  // no plan, no group of it; no kernel, no schedule
  state_->replace(
      [&](SessionInputs& inputs) { inputs.schedules.set((*kernel)->form, std::move(trace)); });
}

void Session::set_schedule(const loop::NamelessForm& nest, std::optional<schedule::Trace> trace) {
  state_->replace([&](SessionInputs& inputs) { inputs.schedules.set(nest, std::move(trace)); });
}

void Session::set_schedules(kernel::Schedules schedules) {
  state_->replace([&](SessionInputs& inputs) { inputs.schedules = std::move(schedules); });
}

std::map<std::string, int> Session::derivations() const {
  return {{"import", state_->models.derivations()},
          {"optimise", state_->histories.derivations()},
          {"dominate", state_->dominator_trees.derivations()},
          {"fuse", state_->plans.derivations()},
          {"schedule", state_->shared_kernels.derivations()},
          {"show", state_->kernels.derivations()},
          {"place", state_->memory_plans.derivations()},
          {"emit", state_->code->counts().compiled + state_->code->counts().from_cache},
          {"run", state_->executors.load()}};
}

kernel::CodeStore::Counts Session::code_counts() const { return state_->code->counts(); }

}  // namespace loopglass
