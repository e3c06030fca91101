#include "passes/graph/memory_estimate.h"

#include "core/fusion/kernel.h"
#include "core/loop/nameless_form.h"
#include "core/support/hash.h"
#include "passes/fusion/dominator.h"

#include <algorithm>
#include <unordered_set>

namespace loopglass::passes {
namespace {

// Nodes and which of their results others need: a kernel follows from these.
std::uint64_t key_of(const graph::Graph& graph, const fusion::Group& group) {
  Hasher hasher;
  const std::unordered_set<graph::NodeId> members(group.nodes.begin(), group.nodes.end());
  for (const graph::NodeId id : group.nodes) {
    const graph::NodePtr node = graph.share(id);
    hasher.value(reinterpret_cast<std::uintptr_t>(node.get()));
    for (const graph::ValueId output : node->outputs) {
      const auto& uses = graph.uses(output);
      hasher.value(graph.is_output(output));
      hasher.value(std::any_of(uses.begin(), uses.end(), [&](const graph::Graph::Use& use) {
        return !members.contains(use.node);
      }));
    }
  }
  return hasher.digest();
}

// Whether some result is as large as some operand; if none is, the schedule need not be asked.
bool may_work_in_place(const graph::Graph& graph, const fusion::KernelProgram& program) {
  const auto size = [&](graph::ValueId id) { return graph.value(id).type.bytes(); };
  for (std::size_t i = 0; i < program.inputs.size(); ++i)
    for (const graph::ValueId output : program.outputs)
      if (!program.input_is_constant[i] && size(program.inputs[i]) == size(output)) return true;
  return false;
}

}  // namespace

MemoryEstimator::MemoryEstimator(Machine machine) : tools_{std::move(machine), {}} {}

Result<const MemoryEstimator::Kernel*> MemoryEstimator::kernel_of(const graph::Graph& graph,
                                                                  const fusion::Group& group) {
  const std::uint64_t key = key_of(graph, group);
  if (const auto known = kernels_.find(key); known != kernels_.end()) return &known->second;
  Kernel kernel;
  for (const graph::NodeId id : group.nodes) kernel.nodes.push_back(graph.share(id));
  auto program = fusion::kernel_program(graph, group);
  if (!program && !is_unsupported(program.error().code)) return std::unexpected(program.error());
  kernel.program = program ? std::move(*program) : fusion::interface_of(graph, group);
  return &kernels_.emplace(key, std::move(kernel)).first->second;
}

Result<std::vector<schedule::InPlace>> MemoryEstimator::in_place_of(const loop::Func& func) {
  std::string form = loop::nameless_form(func).bytes;
  if (const auto known = in_place_.find(form); known != in_place_.end()) return known->second;
  auto pairs = TRY(kernel::schedule(func, {}, tools_)).in_place;
  return in_place_.emplace(std::move(form), std::move(pairs)).first->second;
}

Result<runtime::KernelUse> MemoryEstimator::use_of(const graph::Graph& graph,
                                                   const fusion::Group& group,
                                                   const placement::PlacedKernel& placed) {
  if (placed.is_missing()) return runtime::use_of_missing(graph, placed);
  const fusion::KernelProgram& program = placed.kernel;
  runtime::KernelUse use;
  if (!placed.is_view()) {
    const loop::Func func = fusion::initial_nest(program, group.name);
    use.parameters = func.parameters;
    if (may_work_in_place(graph, program)) use.in_place = TRY(in_place_of(func));
  }
  use.arguments = program.inputs;
  use.arguments.insert(use.arguments.end(), program.outputs.begin(), program.outputs.end());
  use.places = placed.places;
  use.handed_on = placed.handed_on;
  return use;
}

Result<MemoryEstimate> MemoryEstimator::estimate(const graph::Graph& graph) {
  MemoryEstimate estimate{TRY(fuse_by_dominators(graph, {})), {}};
  std::vector<fusion::KernelProgram> programs;
  for (const fusion::Group& group : estimate.groups.groups)
    programs.push_back(TRY(kernel_of(graph, group))->program);
  placement::Placement placement = placement::place_values(graph, programs);
  std::vector<runtime::KernelUse> uses;
  for (std::size_t k = 0; k < programs.size(); ++k)
    uses.push_back(TRY(use_of(graph, estimate.groups.groups[k], placement.kernels[k])));
  estimate.memory = TRY(runtime::plan_memory(graph, uses, std::move(placement.shared)));
  return estimate;
}

}  // namespace loopglass::passes
