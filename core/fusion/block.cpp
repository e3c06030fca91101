#include "core/fusion/block.h"

#include "core/te/flops.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace loopglass::fusion {

namespace {

Result<te::Program> program_of(const graph::Graph& graph, const graph::Node& node) {
  std::vector<const TensorType*> inputs;
  std::vector<TensorType> outputs;
  for (const graph::ValueId input : node.inputs) inputs.push_back(input ? &graph.value(input).type : nullptr);
  for (const graph::ValueId output : node.outputs) outputs.push_back(graph.value(output).type);
  return ops::program_of(*node.op, inputs, node.attributes, outputs);
}

}  // namespace

BlockRules::BlockRules(const graph::Graph& graph, BlockLimits limits)
    : graph_(graph), limits_(limits), successors_(graph.nodes().size()), predecessors_(graph.nodes().size()) {
  for (const graph::NodePtr& node : graph.nodes()) {
    const auto program = program_of(graph, *node);
    // What cannot be computed here fuses with nothing; lowering will say why.
    kinds_.push_back(program ? pattern_kind(*program) : PatternKind::Opaque);
    mappings_.push_back(program ? mapping_type(*program) : MappingType::ManyToMany);
    flops_.push_back(program ? te::flops(*program) : 0);
  }
  for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
    for (const graph::ValueId output : graph.nodes()[i]->outputs)
      for (const graph::Graph::Use& use : graph.uses(output)) {
        const std::size_t consumer = graph.position(use.node);
        if (!successors_[i].empty() && successors_[i].back() == consumer) continue;
        successors_[i].push_back(consumer);
        predecessors_[consumer].push_back(i);
      }
  }
  for (auto* edges : {&successors_, &predecessors_})
    for (std::vector<std::size_t>& list : *edges) {
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
}

std::size_t BlockRules::anchors(std::span<const std::size_t> nodes) const {
  return static_cast<std::size_t>(
      std::count_if(nodes.begin(), nodes.end(), [&](std::size_t node) { return mappings_[node] == MappingType::ManyToMany; }));
}

std::optional<Refusal> BlockRules::refuse(std::span<const std::size_t> nodes) const {
  // Searches ask very often: the cheapest question first.
  if (auto refusal = refuse_anchors(nodes)) return refusal;
  if (auto refusal = refuse_shape(nodes)) return refusal;
  return refuse_size(nodes);
}

std::optional<Refusal> BlockRules::refuse_size(std::span<const std::size_t> nodes) const {
  if (nodes.size() > limits_.operators)
    return Refusal{Reason::MaxOperators, fmt::format("{} <= {}", nodes.size(), limits_.operators),
                   fmt::format("The kernel would hold {} operators, more than the limit of {}.", nodes.size(), limits_.operators),
                   {{"operators", static_cast<double>(nodes.size())}, {"limit", static_cast<double>(limits_.operators)}}};
  std::set<graph::ValueId> inputs;
  for (const std::size_t node : nodes)
    for (const graph::ValueId input : graph_.nodes()[node]->inputs) {
      if (!input) continue;
      const graph::NodeId producer = graph_.value(input).producer;
      if (!producer || !std::binary_search(nodes.begin(), nodes.end(), graph_.position(producer))) inputs.insert(input);
    }
  if (inputs.size() > limits_.inputs)
    return Refusal{Reason::MaxInputs, fmt::format("{} <= {}", inputs.size(), limits_.inputs),
                   fmt::format("The kernel would read {} tensors, more than the limit of {}.", inputs.size(), limits_.inputs),
                   {{"inputs", static_cast<double>(inputs.size())}, {"limit", static_cast<double>(limits_.inputs)}}};
  return std::nullopt;
}

// Connected, and with no way out and back in: a kernel cannot wait for another that waits for it.
std::optional<Refusal> BlockRules::refuse_shape(std::span<const std::size_t> nodes) const {
  const auto inside = [&](std::size_t node) { return std::binary_search(nodes.begin(), nodes.end(), node); };
  std::set<std::size_t> reached{nodes.front()};
  std::vector<std::size_t> stack{nodes.front()};
  while (!stack.empty()) {
    const std::size_t node = stack.back();
    stack.pop_back();
    for (const auto* edges : {&successors_, &predecessors_})
      for (const std::size_t other : (*edges)[node])
        if (inside(other) && reached.insert(other).second) stack.push_back(other);
  }
  if (reached.size() != nodes.size())
    return Refusal{Reason::External, "connected(block)", "The operators do not feed one another.", {}};
  std::set<std::size_t> outside;  // that depend on the block
  for (std::size_t node = nodes.front(); node <= nodes.back(); ++node) {
    const bool member = inside(node);
    for (const std::size_t producer : predecessors_[node]) {
      if (member && outside.contains(producer))
        return Refusal{Reason::WouldCycle, fmt::format("convex(block) through {}", graph_.nodes()[producer]->name),
                       fmt::format("{} needs {}, which runs outside and needs what the kernel computes: each would wait for the other.",
                                   graph_.nodes()[node]->name, graph_.nodes()[producer]->name),
                       {}};
      if (!member && (inside(producer) || outside.contains(producer))) outside.insert(node);
    }
  }
  return std::nullopt;
}

std::optional<Refusal> BlockRules::refuse_anchors(std::span<const std::size_t> nodes) const {
  std::size_t first = nodes.size();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (mappings_[nodes[i]] != MappingType::ManyToMany) continue;
    if (first != nodes.size())
      return Refusal{Reason::SecondAnchor, fmt::format("anchors(block) = {} <= 1", anchors(nodes)),
                     fmt::format("{} and {} each need a loop nest of their own.", graph_.nodes()[nodes[first]]->name,
                                 graph_.nodes()[nodes[i]]->name),
                     {{"anchors", static_cast<double>(anchors(nodes))}}};
    first = i;
  }
  return std::nullopt;
}

}  // namespace loopglass::fusion
