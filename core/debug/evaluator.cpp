#include "core/debug/evaluator.h"

#include "core/debug/subgraph.h"
#include "core/fusion/partition.h"
#include "core/graph/counts.h"
#include "core/loop/interpreter.h"
#include "core/runtime/packing.h"
#include "core/support/concurrently.h"

#include <fmt/format.h>
#include <atomic>
#include <mutex>
#include <numeric>

namespace loopglass::debug {

namespace {

// Below so many operations an operator is interpreted before it would be compiled.
constexpr std::int64_t worth_compiling = 50'000;

using graph::Graph;
using graph::Node;
using graph::NodePtr;
using graph::ValueId;

// What a node is made of. Nodes and values are immutable and shared along a history, so addresses
// do.
using Identity = std::vector<const void*>;

// How a node is computed. It keeps alive what its identity names.
struct Ready {
  NodePtr node;
  std::vector<graph::ValuePtr> values;
  std::shared_ptr<const codegen::CompiledKernel> code;  // none: interpreted
  std::vector<ValueId> arguments;
  std::vector<loop::Buffer> parameters;
  std::vector<std::int64_t> extents;  // of the code's symbols
};

Identity identity(const Graph& graph, const Node& node) {
  Identity identity{&node};
  for (const ValueId input : node.inputs) identity.push_back(input ? graph.find(input) : nullptr);
  for (const ValueId output : node.outputs) identity.push_back(graph.find(output));
  return identity;
}

bool is_worth_compiling(const Graph& graph, const Node& node) {
  std::int64_t elements = 0;
  for (const ValueId output : node.outputs)
    elements += element_count(graph.value(output).type.shape);
  if (elements > worth_compiling) return true;
  return graph::flops(graph, node).value_or(0) > worth_compiling;
}

std::vector<ValueId> results_of(const std::vector<const Node*>& nodes) {
  std::vector<ValueId> results;
  for (const Node* node : nodes)
    results.insert(results.end(), node->outputs.begin(), node->outputs.end());
  return results;
}

// A kernel for each operator, whatever strategies the toolchain has.
Result<fusion::Plan> plan_alone(const Graph& graph, const fusion::PlanOptions&) {
  std::vector<std::size_t> parts(graph.nodes().size());
  std::iota(parts.begin(), parts.end(), 0);
  return fusion::plan_of_partition(graph, "alone", parts, fusion::pattern_kinds(graph));
}

Toolchain without_fusion(Toolchain toolchain) {
  toolchain = without_graph_passes(std::move(toolchain));
  toolchain.strategies = {{"alone", "A kernel for each operator.", plan_alone}};
  return toolchain;
}

Result<Tensor> input_value(const graph::Value& value, const Inputs& inputs) {
  const auto found = inputs.find(value.name);
  if (found == inputs.end())
    return fail(Code::InputMismatch, fmt::format("input '{}' has no value", value.name));
  if (!found->second.defined() || found->second.type() != value.type)
    return fail(Code::InputMismatch,
                fmt::format("input '{}' is {} and was given {}", value.name, to_string(value.type),
                            found->second.defined() ? to_string(found->second.type()) : "nothing"));
  return found->second;
}

Result<void> check_cancelled(const Control& control) {
  if (control.cancellation.requested())
    return fail(Code::Cancelled, "evaluating the network was cancelled");
  return {};
}

}  // namespace

runtime::TurnOptions in_turns(int rounds, int warm_up, const Control& control) {
  runtime::TurnOptions options{warm_up, rounds, {}, control.cancellation};
  options.on_round = [rounds, progress = control.progress](int round, std::span<const double>) {
    if (progress)
      progress("timing the networks in turns",
               static_cast<double>(round + 1) / static_cast<double>(rounds));
  };
  return options;
}

Inputs random_inputs(const Graph& graph, std::uint64_t seed) {
  Inputs inputs;
  for (const ValueId id : graph.inputs()) {
    const graph::Value& input = graph.value(id);
    inputs[input.name] = runtime::random_tensor(input.type, seed + inputs.size());
  }
  return inputs;
}

Result<std::vector<Tensor>> in_order(const Inputs& inputs, const Graph& graph) {
  std::vector<Tensor> values;
  for (const ValueId id : graph.inputs()) {
    const auto found = inputs.find(graph.value(id).name);
    if (found == inputs.end())
      return fail(Code::InputMismatch,
                  fmt::format("input '{}' has no value", graph.value(id).name));
    values.push_back(found->second);
  }
  return values;
}

struct Evaluator::State {
  State(Toolchain toolchain, int threads, std::shared_ptr<codegen::ObjectCache> cache)
      : session(without_fusion(std::move(toolchain)), {.object_cache = std::move(cache)}),
        pool(threads) {}

  std::mutex mutex;
  Session session;  // on the graph of what is compiled last
  runtime::ThreadPool pool;
  std::map<Identity, Ready> ready;
  std::atomic<int> compiled = 0, interpreted = 0;

  Result<void> prepare(const Graph& graph, const std::vector<const Node*>& nodes,
                       const Control& control);
  Result<void> compile(const Graph& needed, const std::vector<Ready*>& entries,
                       const Control& control);
  Result<std::vector<Tensor>> compute(const Graph& graph, const Ready& ready,
                                      const std::map<ValueId, Tensor>& values);
};

// Makes all nodes ready.
Result<void> Evaluator::State::prepare(const Graph& graph, const std::vector<const Node*>& nodes,
                                       const Control& control) {
  std::vector<const Node*> fresh;
  for (const Node* node : nodes)
    if (!ready.contains(identity(graph, *node))) fresh.push_back(node);
  if (fresh.empty()) return {};
  // Nothing in common with what came before: another model, whose constants need not be kept.
  if (fresh.size() == nodes.size()) ready.clear();
  std::vector<Ready*> large;
  for (const Node* node : fresh) {
    Ready entry{graph.share(node->id), {}, nullptr, {}, {}, {}};
    for (const ValueId input : node->inputs)
      if (input) entry.values.push_back(graph.share(input));
    for (const ValueId output : node->outputs) entry.values.push_back(graph.share(output));
    // A map's elements stay in place.
    Ready& kept = ready[identity(graph, *node)] = std::move(entry);
    if (is_worth_compiling(graph, *node)) large.push_back(&kept);
  }
  const auto done = large.empty()
                        ? Result<void>()
                        : compile(TRY(subgraph(graph, nodes, results_of(nodes))), large, control);
  if (!done)  // half of them would be taken for ones that cannot be compiled
    for (const Node* node : fresh) ready.erase(identity(graph, *node));
  return done;
}

// Finds machine code for these; what cannot be compiled stays interpreted.
Result<void> Evaluator::State::compile(const Graph& needed, const std::vector<Ready*>& entries,
                                       const Control& control) {
  session.open(model_of(needed), needed.name());
  const auto plan = TRY(session.plan());
  std::atomic<std::size_t> next = 0;
  std::size_t done = 0;
  std::mutex progress_mutex;
  const auto take = [&] {
    for (std::size_t i = next++; i < entries.size() && !control.cancellation.requested();
         i = next++) {
      const fusion::GroupId group = plan->group_of(entries[i]->node->id);
      if (auto code = session.compiled(group)) {
        const auto stages = session.kernel(group).value();
        entries[i]->arguments = stages->program.inputs;
        const auto& outputs = stages->program.outputs;
        entries[i]->arguments.insert(entries[i]->arguments.end(), outputs.begin(), outputs.end());
        entries[i]->parameters = stages->scheduled().parameters;
        entries[i]->extents = stages->program.extents;
        entries[i]->code = *std::move(code);
      }
      std::lock_guard lock(progress_mutex);
      const double fraction = static_cast<double>(++done) / static_cast<double>(entries.size());
      if (control.progress) control.progress("compiling " + entries[i]->node->name, fraction);
    }
  };
  run_on_threads(pool.threads(), take);
  return check_cancelled(control);
}

Result<std::vector<Tensor>> Evaluator::State::compute(const Graph& graph, const Ready& ready,
                                                      const std::map<ValueId, Tensor>& values) {
  const Node& node = *ready.node;
  if (is_opaque(node)) {
    std::vector<Tensor> results;
    for (const ValueId output : node.outputs)
      results.push_back(runtime::stand_in_for(graph.value(output)));
    return results;
  }
  if (!ready.code) {
    ++interpreted;
    std::vector<Tensor> inputs;
    for (const ValueId input : node.inputs) inputs.push_back(input ? values.at(input) : Tensor());
    auto results = loop::evaluate(*node.op, node.attributes, inputs, node.outputs.size());
    if (!results && results.error().where.empty())
      results.error().where = fmt::format("node '{}' ({})", node.name, operator_name(node));
    return results;
  }
  ++compiled;
  std::map<ValueId, Tensor> results;
  for (const ValueId output : node.outputs)
    results[output] = TRY(Tensor::allocate(graph.value(output).type));
  std::vector<Tensor> packed;  // kept while the kernel runs
  std::vector<void*> addresses;
  for (std::size_t a = 0; a < ready.arguments.size(); ++a) {
    if (const auto result = results.find(ready.arguments[a]); result != results.end()) {
      addresses.push_back(result->second.data());
      continue;
    }
    const Tensor& operand = values.at(ready.arguments[a]);
    packed.push_back(ready.parameters[a].packing
                         ? runtime::pack_constant(ready.parameters[a], operand)
                         : operand);
    addresses.push_back(packed.back().data());
  }
  const std::int64_t scratch = TRY(ready.code->workspace().bytes(ready.extents));
  const Tensor workspace =
      TRY(Tensor::allocate({DataType::UInt8, {std::max<std::int64_t>(scratch, 1)}}));
  ready.code->entry()(addresses.data(), ready.extents.data(),
                      const_cast<std::byte*>(workspace.data()), pool.parallel_runtime());
  std::vector<Tensor> outputs;
  for (const ValueId output : node.outputs) outputs.push_back(results.at(output));
  return outputs;
}

Evaluator::Evaluator(Toolchain toolchain, int threads, std::shared_ptr<codegen::ObjectCache> cache)
    : state_(std::make_unique<State>(std::move(toolchain), threads, std::move(cache))) {}

Evaluator::~Evaluator() = default;

Evaluator::Counts Evaluator::counts() const { return {state_->compiled, state_->interpreted}; }

Result<void> Evaluator::run(const Graph& graph, const Inputs& inputs,
                            const std::set<ValueId>& wanted, const Visit& visit,
                            const Control& control) {
  std::lock_guard lock(state_->mutex);
  for (const ValueId id : wanted)
    if (graph.find(id) == nullptr)
      return fail(Code::GraphEntityUnknown,
                  fmt::format("there is no value {} in the graph", id.value));
  const std::vector<const Node*> nodes = needed_nodes(graph, wanted);
  TRY_VOID(state_->prepare(graph, nodes, control));

  std::map<ValueId, std::size_t> remaining;
  std::map<ValueId, Tensor> values;
  for (const ValueId id : wanted) remaining[id] = 0;
  for (const Node* node : nodes)
    for (const ValueId input : node->inputs)
      if (input) ++remaining[input];
  for (const auto& [id, uses] : remaining) {
    const graph::Value& value = graph.value(id);
    if (value.producer) continue;
    const Tensor tensor = value.is_constant() ? value.constant : TRY(input_value(value, inputs));
    if (uses > 0) values[id] = tensor;
    if (wanted.contains(id)) TRY_VOID(visit(value, tensor));
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    TRY_VOID(check_cancelled(control));
    const Node& node = *nodes[i];
    if (control.progress)
      control.progress("computing " + node.name,
                       static_cast<double>(i) / static_cast<double>(nodes.size()));
    std::vector<Tensor> results =
        TRY(state_->compute(graph, state_->ready.at(identity(graph, node)), values));
    for (const ValueId input : node.inputs)
      if (input && --remaining[input] == 0) values.erase(input);
    for (std::size_t r = 0; r < results.size(); ++r) {
      const ValueId id = node.outputs[r];
      if (wanted.contains(id)) TRY_VOID(visit(graph.value(id), results[r]));
      if (const auto uses = remaining.find(id); uses != remaining.end() && uses->second > 0)
        values[id] = std::move(results[r]);
    }
  }
  return {};
}

Result<std::vector<Tensor>> Evaluator::outputs(const Graph& graph, const Inputs& inputs,
                                               const Control& control) {
  std::map<ValueId, Tensor> results;
  const std::set<ValueId> wanted(graph.outputs().begin(), graph.outputs().end());
  TRY_VOID(run(
      graph, inputs, wanted,
      [&](const graph::Value& value, const Tensor& tensor) -> Result<void> {
        results[value.id] = tensor;
        return {};
      },
      control));
  std::vector<Tensor> outputs;
  for (const ValueId output : graph.outputs()) outputs.push_back(results.at(output));
  return outputs;
}

}  // namespace loopglass::debug
