// Plans as tests ask for them and read them.
#pragma once

#include "core/fusion/compare.h"
#include "core/fusion/edits.h"
#include "passes/fusion/manual.h"
#include "passes/fusion/none.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <map>

namespace loopglass::test {

// Nothing fused but what a person's edits say.
inline Result<fusion::Plan> by_hand(const graph::Graph& graph, const std::string& edits,
                                    fusion::PlanOptions options = {}) {
  options.edits = std::make_shared<const fusion::EditScript>(TRY(fusion::parse_edits(edits)));
  return passes::fuse_by_hand({{"none", "", passes::fuse_nothing}}).plan(graph, options);
}
inline fusion::Plan edited(const graph::Graph& graph, const std::string& edits,
                           fusion::PlanOptions options = {}) {
  return by_hand(graph, edits, std::move(options)).value();
}

// "{a b} {c}": the groups in running order.
inline std::string groups(const fusion::Plan& plan, const graph::Graph& graph) {
  std::vector<std::string> parts;
  for (const fusion::Group& group : plan.groups) {
    std::vector<std::string> names;
    for (const graph::NodeId node : group.nodes) names.push_back(graph.node(node).name);
    parts.push_back(fmt::format("{{{}}}", fmt::join(names, " ")));
  }
  return fmt::format("{}", fmt::join(parts, " "));
}

// The verdict on an edge, "producer:consumer".
inline const fusion::Decision& decision_on(const fusion::Plan& plan, const graph::Graph& graph,
                                           const std::string& edge) {
  const fusion::Edge wanted = fusion::find_edge(graph, edge).value();
  for (const fusion::Decision& decision : plan.decisions)
    if (fusion::Edge{decision.producer, decision.consumer} == wanted) return decision;
  throw std::invalid_argument(edge);
}

// What the merges among its steps bring together, made one after another, is what the plan does.
inline void expect_merges_give(const fusion::Plan& plan, const graph::Graph& graph) {
  std::map<graph::NodeId, graph::NodeId> first;  // of the group that holds a node
  for (const graph::NodePtr& node : graph.nodes()) first[node->id] = node->id;
  for (const fusion::PlanEvent& event : plan.events) {
    if (event.kind != fusion::PlanEvent::Kind::Merge) continue;
    for (const graph::NodeId node : event.nodes) {
      const graph::NodeId from = first.at(node), into = first.at(event.nodes.front());
      for (auto& [member, group] : first)
        if (group == from) group = into;
    }
  }
  for (const auto& [a, group_of_a] : first)
    for (const auto& [b, group_of_b] : first)
      ASSERT_EQ(group_of_a == group_of_b, plan.group_of(a) == plan.group_of(b))
          << graph.node(a).name << ", " << graph.node(b).name;
}

// By this model, all kernels together.
inline double cost_of(const fusion::Plan& plan, const fusion::BlockRules& rules,
                      const fusion::CostModel& cost) {
  return fusion::summarise(rules, plan, cost).estimated_microseconds;
}

}  // namespace loopglass::test
