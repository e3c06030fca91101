#include "core/debug/part_costs.h"

#include "core/graph/counts.h"
#include "core/graph/likeness.h"

namespace loopglass {

PartCost& PartCost::operator+=(const PartCost& other) {
  operators += other.operators;
  kernels += other.kernels;
  flops += other.flops;
  bytes += other.bytes;
  if (other.milliseconds) milliseconds = milliseconds.value_or(0) + *other.milliseconds;
  return *this;
}

PartCosts part_costs(const graph::Folding& folding, const graph::Graph& graph,
                     const fusion::Plan& plan, const runtime::BenchmarkReport* timings) {
  std::unordered_map<graph::NodeId, PartCost> of_node;
  std::unordered_map<std::uint64_t, std::int64_t> known;  // networks repeat themselves
  for (const graph::NodePtr& node : graph.nodes()) {
    PartCost& cost = of_node[node->id];
    cost.operators = 1;
    const auto [flops, is_new] = known.try_emplace(graph::likeness(graph, *node));
    if (is_new) flops->second = graph::flops(graph, *node).value_or(0);
    cost.flops = flops->second;
    for (const graph::ValueId output : node->outputs)
      if (const graph::Value* value = graph.find(output); value && value->type.is_known())
        cost.bytes += value->type.bytes();
  }
  for (const fusion::Group& group : plan.groups)
    if (const auto anchor = of_node.find(group.anchor); anchor != of_node.end())
      ++anchor->second.kernels;
  if (timings)
    for (const runtime::KernelTiming& kernel : timings->kernels) {
      const auto anchor = of_node.find(plan.group(kernel.group).anchor);
      if (anchor == of_node.end() || kernel.is_view || kernel.missing) continue;
      anchor->second.milliseconds = kernel.time.median_ms;
    }
  PartCosts costs;
  costs.folds.resize(folding.folds.size());
  for (std::size_t item = 0; item < folding.items.size(); ++item) {
    PartCost& cost = costs.items.emplace_back();
    for (const graph::NodeId node : folding.items[item].nodes) cost += of_node[node];
    costs.all += cost;
    for (int fold = folding.innermost[item]; fold >= 0;
         fold = folding.folds[static_cast<std::size_t>(fold)].parent)
      costs.folds[static_cast<std::size_t>(fold)] += cost;
  }
  return costs;
}

graph::Parts kernels_as_parts(const fusion::Plan& plan, const graph::Graph& graph) {
  return {[&plan](const graph::Node& node) {
            const auto group = plan.membership.find(node.id);
            return group == plan.membership.end() ? -1 : static_cast<int>(group->second.value);
          },
          [&plan, &graph](int part) {
            return graph.node(plan.group(fusion::GroupId{static_cast<std::uint32_t>(part)}).anchor)
                .name;
          }};
}

}  // namespace loopglass
