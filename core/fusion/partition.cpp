#include "core/fusion/partition.h"

#include "core/ops/written_kernel.h"

#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <queue>
#include <set>

namespace loopglass::fusion {

namespace {

std::string lower_case(const std::string& text) {
  std::string lower;
  for (const char c : text) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

// The loop nest of a group is that of its most complex node; among equals the last.
graph::NodeId anchor_of(const graph::Graph& graph, const std::vector<graph::NodeId>& nodes,
                        const std::vector<PatternKind>& kinds) {
  return *std::max_element(nodes.rbegin(), nodes.rend(), [&](graph::NodeId a, graph::NodeId b) {
    return kinds[graph.position(a)] < kinds[graph.position(b)];
  });
}

std::string group_name(const graph::Graph& graph, const Group& group) {
  constexpr std::size_t shown = 4;
  if (const graph::Node& only = graph.node(group.nodes.front());
      group.nodes.size() == 1 && ops::is_written(*only.op))
    return only.name;
  std::string name = group.nodes.size() > 1 ? "fused" : "";
  for (std::size_t i = 0; i < std::min(shown, group.nodes.size()); ++i)
    name += (name.empty() ? "" : "_") + lower_case(operator_name(graph.node(group.nodes[i])));
  if (group.nodes.size() > shown) name += "_more";
  return fmt::format("{}_{}", name, group.id.value);
}

}  // namespace

std::vector<PatternKind> pattern_kinds(const graph::Graph& graph) {
  std::vector<PatternKind> kinds;
  for (const graph::NodePtr& node : graph.nodes()) kinds.push_back(pattern_kind(graph, *node));
  return kinds;
}

Result<Plan> plan_of_partition(const graph::Graph& graph, std::string strategy,
                               const std::vector<std::size_t>& part,
                               const std::vector<PatternKind>& kinds) {
  const auto& nodes = graph.nodes();
  std::map<std::size_t, std::vector<graph::NodeId>> members;  // nodes in topological order
  for (std::size_t i = 0; i < nodes.size(); ++i) members[part[i]].push_back(nodes[i]->id);

  std::map<std::size_t, std::set<std::size_t>> consumers;
  std::map<std::size_t, std::size_t> waiting;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (const graph::ValueId output : nodes[i]->outputs)
      for (const graph::Graph::Use& use : graph.uses(output)) {
        const std::size_t consumer = part[graph.position(use.node)];
        if (consumer != part[i] && consumers[part[i]].insert(consumer).second) ++waiting[consumer];
      }
  // Ready parts run in the order of their first node.
  using Entry = std::pair<std::size_t, std::size_t>;  // position of the first node, part
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
  for (const auto& [number, list] : members)
    if (waiting[number] == 0) ready.push({graph.position(list.front()), number});
  Plan plan;
  plan.strategy = std::move(strategy);
  while (!ready.empty()) {
    const std::size_t number = ready.top().second;
    ready.pop();
    Group group;
    group.id = GroupId{static_cast<std::uint32_t>(plan.groups.size())};
    group.nodes = members.at(number);
    group.anchor = anchor_of(graph, group.nodes, kinds);
    group.name = group_name(graph, group);
    for (const graph::NodeId id : group.nodes) plan.membership[id] = group.id;
    plan.groups.push_back(std::move(group));
    for (const std::size_t consumer : consumers[number])
      if (--waiting.at(consumer) == 0)
        ready.push({graph.position(members.at(consumer).front()), consumer});
  }
  if (plan.groups.size() != members.size())
    return fail(Code::PlanInvalid,
                fmt::format("{} groups of strategy '{}' depend on one another in a cycle",
                            members.size() - plan.groups.size(), plan.strategy));
  return plan;
}

}  // namespace loopglass::fusion
