#include "passes/fusion/dynamic_programming.h"

#include "core/fusion/decide.h"
#include "core/fusion/partition.h"
#include "passes/fusion/ideal_search.h"
#include "passes/fusion/mapping.h"

#include <algorithm>
#include <fmt/format.h>

namespace loopglass::passes {

namespace {

using fusion::Reason;
using fusion::Refusal;

// The nodes of a group, by position.
std::vector<std::size_t> positions(const graph::Graph& graph, const fusion::Group& group) {
  std::vector<std::size_t> nodes;
  for (const graph::NodeId id : group.nodes) nodes.push_back(graph.position(id));
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

class DynamicProgramming {
 public:
  DynamicProgramming(const graph::Graph& graph, const fusion::PlanOptions& options)
      : graph_(graph), options_(options), rules_(graph),
        cost_(options.cost ? options.cost : std::make_shared<const fusion::CostModel>()) {}

  Result<fusion::Plan> operator()() {
    const Units units = TRY(make_units(rules_, options_.constraints));
    // A greedy plan is where the search has to get below.
    fusion::PlanOptions greedy = options_;
    greedy.cost = cost_;
    greedy.record_events = false;
    const fusion::Plan known = TRY(fuse_by_mapping(graph_, greedy));
    double best_cost = 0;
    for (const fusion::Group& group : known.groups) best_cost += cost_->cost(rules_, positions(graph_, group)).total;
    std::vector<std::size_t> part(graph_.nodes().size());
    for (const fusion::Group& group : known.groups)
      for (const graph::NodeId id : group.nodes) part[graph_.position(id)] = group.id.value;

    const auto deadline = std::chrono::steady_clock::now() + options_.time_budget;
    fusion::Optimality optimality = fusion::Optimality::BestInBeam;
    std::vector<fusion::PlanEvent> events;
    // Wider and wider beams: each gives the next a lower bound to prune by.
    for (const std::size_t beam : {std::size_t{16}, std::size_t{128}, std::size_t{1024}, std::size_t{0}}) {
      IdealSearchResult found = TRY(search_ideals(rules_, units, *cost_, options_.constraints,
                                                  {beam, best_cost, deadline, options_.record_events}, options_.cancellation));
      if (!found.blocks.empty() && found.cost <= best_cost) {
        best_cost = found.cost;
        for (std::size_t block = 0; block < found.blocks.size(); ++block)
          for (const std::size_t unit : found.blocks[block])
            for (const std::size_t node : units.members[unit]) part[node] = block;
      }
      if (!found.out_of_time) events = std::move(found.events);
      if (found.complete) optimality = fusion::Optimality::ProvedOptimal;
      if (found.complete || found.out_of_time) break;
    }
    fusion::Plan plan = TRY(fusion::plan_of_partition(graph_, "dp", part, rules_.kinds()));
    plan.events = std::move(events);
    plan.optimality = optimality;
    fusion::record_decisions(plan, graph_, options_, [&](const fusion::Edge& edge) { return why_not(plan, edge); });
    return plan;
  }

 private:
  Refusal why_not(const fusion::Plan& plan, const fusion::Edge& edge) const {
    const auto first = positions(graph_, plan.group(plan.group_of(edge.producer)));
    const auto second = positions(graph_, plan.group(plan.group_of(edge.consumer)));
    std::vector<std::size_t> both;
    std::merge(first.begin(), first.end(), second.begin(), second.end(), std::back_inserter(both));
    if (auto refusal = rules_.refuse(both)) return *refusal;
    const double apart = cost_->cost(rules_, first).total + cost_->cost(rules_, second).total;
    const double together = cost_->cost(rules_, both).total;
    const std::string pair = fmt::format("{} and {}", graph_.node(edge.producer).name, graph_.node(edge.consumer).name);
    return {Reason::NotWorthIt, fmt::format("cost(fused) = {:.2f} us < {:.2f} us = cost(apart)", together, apart),
            together >= apart
                ? fmt::format("One kernel for {} would take {:.2f} us longer than two.", pair, together - apart)
                : fmt::format("Joining {} would save {:.2f} us by itself, but make kernels wait for one another in a circle.", pair,
                              apart - together),
            {{"microseconds fused", together}, {"microseconds apart", apart}}};
  }

  const graph::Graph& graph_;
  const fusion::PlanOptions& options_;
  fusion::BlockRules rules_;
  std::shared_ptr<const fusion::CostModel> cost_;
};

}  // namespace

Result<fusion::Plan> fuse_by_dynamic_programming(const graph::Graph& graph, const fusion::PlanOptions& options) {
  return DynamicProgramming(graph, options)();
}

}  // namespace loopglass::passes
