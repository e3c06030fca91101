// loopglassc fuse --summary: a plan in a few lines.
#include "app/loopglassc/fuse_views.h"
#include "app/loopglassc/memory_limit.h"
#include "core/fusion/explain.h"
#include "core/fusion/layer_words.h"
#include "core/fusion/saving.h"
#include "core/support/counted.h"
#include "core/support/readable_bytes.h"

#include <fmt/ranges.h>
#include <algorithm>
#include <nlohmann/json.hpp>

namespace loopglass::app {

namespace {

using Json = nlohmann::ordered_json;

struct Summary {
  const fusion::Plan& plan;
  const graph::Graph& graph;
  std::size_t views = 0;                             // kernels that need no code
  std::size_t fused = 0;                             // edges
  std::map<fusion::Reason, std::size_t> apart = {};  // edges by what keeps them so
  const fusion::Group* largest = nullptr;            // by operators
  fusion::Saving saving = {};                        // against a kernel for each operator
  std::int64_t never_written = 0;                    // bytes
};

Summary summarise(const fusion::Plan& plan, const graph::Graph& graph,
                  const placement::Placement* placement) {
  Summary summary{plan, graph};
  if (placement != nullptr)
    summary.views = static_cast<std::size_t>(
        std::count_if(placement->kernels.begin(), placement->kernels.end(),
                      [](const auto& kernel) { return kernel.is_view(); }));
  for (const fusion::Decision& decision : plan.decisions) {
    if (decision.fused) ++summary.fused;
    else ++summary.apart[decision.reason];
  }
  std::vector<fusion::Nodes> together;
  for (const fusion::Group& group : plan.groups) {
    if (summary.largest == nullptr || group.nodes.size() > summary.largest->nodes.size())
      summary.largest = &group;
    together.emplace_back();
    for (const graph::NodeId node : group.nodes) together.back().push_back(graph.position(node));
    std::sort(together.back().begin(), together.back().end());
  }
  const fusion::BlockRules rules(graph);
  summary.saving = fusion::plan_saving(rules, plan);
  summary.never_written = fusion::never_written(rules, together);
  return summary;
}

// What keeps most edges apart comes first.
std::vector<std::pair<fusion::Reason, std::size_t>> by_count(const Summary& summary) {
  std::vector<std::pair<fusion::Reason, std::size_t>> reasons(summary.apart.begin(),
                                                              summary.apart.end());
  std::stable_sort(reasons.begin(), reasons.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return reasons;
}

void print(const Summary& summary) {
  const fusion::Plan& plan = summary.plan;
  fmt::print("fusion: {} in {} ({}, {})", counted(summary.graph.nodes().size(), "operator"),
             counted(plan.groups.size(), "kernel"), plan.strategy, fusion::name(plan.optimality));
  if (summary.views > 0)
    fmt::print(", {} of which need{} no code", summary.views, summary.views == 1 ? "s" : "");
  fmt::print("\n");
  if (summary.largest != nullptr)
    fmt::print("the largest: {} ({}), of {}\n", summary.largest->name,
               fusion::layer_words(*summary.largest, summary.graph),
               counted(summary.largest->nodes.size(), "operator"));
  std::vector<std::string> reasons;
  for (const auto& [reason, count] : by_count(summary))
    reasons.push_back(fmt::format("{} {}", count, fusion::name(reason)));
  fmt::print("edges: {} fused, {} not fused{}{}\n", summary.fused,
             plan.decisions.size() - summary.fused, reasons.empty() ? "" : ": ",
             fmt::join(reasons, ", "));
  fmt::print("fusing spares {} of memory traffic a run; {} of tensors are never written\n",
             readable_bytes(summary.saving.bytes), readable_bytes(summary.never_written));
}

Json to_json(const Summary& summary) {
  Json reasons = Json::object();
  for (const auto& [reason, count] : by_count(summary))
    reasons[std::string(fusion::name(reason))] = count;
  Json json{{"strategy", summary.plan.strategy},
            {"optimality", fusion::name(summary.plan.optimality)},
            {"operator_count", summary.graph.nodes().size()},
            {"kernel_count", summary.plan.groups.size()},
            {"view_count", summary.views},
            {"fused_edge_count", summary.fused},
            {"reasons", reasons},
            {"saved_bytes", summary.saving.bytes},
            {"never_written_bytes", summary.never_written}};
  if (summary.largest != nullptr)
    json["largest"] = {{"name", summary.largest->name},
                       {"operator_count", summary.largest->nodes.size()}};
  return json;
}

}  // namespace

Result<void> add_arena(Json& json, const Gate& gate, const Json& baseline, Session& session) {
  if (gate.max_arena || baseline.contains("arena_bytes"))
    json["arena_bytes"] = TRY(session.memory_plan())->arena_bytes;
  return {};
}

Result<Exit> show_summary(const FuseOptions& options, Session& session) {
  const auto graph = TRY(session.graph());
  const auto plan = TRY(session.plan());
  // A plan can be looked at whose kernels cannot be made.
  const auto placed = session.placement();
  const Summary summary = summarise(*plan, *graph, placed ? placed->get() : nullptr);
  const Json baseline = TRY(read_baseline(options.gate, Schema::FuseSummary, session));
  Json json = to_json(summary);
  TRY_VOID(add_arena(json, options.gate, baseline, session));
  const auto limit = TRY(judge_memory_limit(session, options.model));
  return print_gated({Schema::FuseSummary, session, limit, json, [&] { print(summary); }},
                     options.gate, baseline, options.json);
}

}  // namespace loopglass::app
