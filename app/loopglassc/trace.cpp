#include "app/loopglassc/trace.h"

#include "app/common/times_json.h"
#include "app/common/typed_text.h"
#include "app/common/vocabulary.h"
#include "app/loopglassc/declare.h"
#include "core/fusion/breakpoints.h"
#include "core/support/counted.h"
#include "core/support/readable_time.h"
#include "core/support/suggestion.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace loopglass::app {

namespace {

using Json = nlohmann::ordered_json;

Result<pass::NodeHistory> node_history(Session& session) {
  return pass::NodeHistory(TRY(session.graph_history()),
                           [&session](std::size_t step, std::size_t rewrites) {
                             return session.graph_at(step, rewrites);
                           });
}

std::vector<graph::NodeId> ids(const std::vector<std::uint32_t>& numbers) {
  std::vector<graph::NodeId> found;
  for (const std::uint32_t number : numbers) found.push_back({number});
  return found;
}

Json nodes_json(const pass::NodeHistory& nodes, const std::vector<std::uint32_t>& numbers) {
  Json list = Json::array();
  for (const graph::NodeId id : ids(numbers))
    list.push_back({{"id", id.value}, {"name", nodes.name_of(id)}});
  return list;
}

void print_rewrite(const pass::NodeHistory& nodes, std::size_t step, std::size_t index) {
  const pass::Rewrite& rewrite = nodes.history().steps[step].rewrites[index];
  const auto names = [&](const std::vector<std::uint32_t>& numbers) {
    return numbers.empty() ? "nothing" : nodes.names_of(ids(numbers));
  };
  // One of constants alone takes and makes no operators: its sentence says all.
  const std::string change =
      rewrite.consumed.empty() && rewrite.made.empty()
          ? ""
          : fmt::format("{} -> {}  ", names(rewrite.consumed), names(rewrite.made));
  fmt::print("{:>8}  {:<26}{}({})\n", fmt::format("{}:{}", step, index + 1), rewrite.rule, change,
             readable_time(rewrite.duration));
  if (!rewrite.detail.empty()) fmt::print("{:>8}  {}\n", "", rewrite.detail);
}

// One row of either list: a place in the history, or the fusion that follows it.
Json row(const std::string& breakpoint, pass::BreakEvent event, graph::NodeId node,
         const std::string& name) {
  return {
      {"breakpoint", breakpoint}, {"event", pass::name(event)}, {"id", node.value}, {"node", name}};
}

Json stops_json(const pass::NodeHistory& nodes, const std::vector<pass::Breakpoint>& breakpoints) {
  Json rows = Json::array();
  for (const pass::Stop& stop : all_stops(nodes, breakpoints))
    for (const pass::Hit& hit : stop.hits) {
      Json entry = row(to_text(breakpoints[hit.breakpoint]), hit.event, hit.node, hit.name);
      entry.update({{"stage", "graph"},
                    {"position", to_text(stop.position)},
                    {"step", stop.position.step},
                    {"pass", nodes.history().steps[stop.position.step].pass.name},
                    {"rewrite", stop.rewrite ? Json(*stop.rewrite + 1) : Json(nullptr)},
                    {"rule", hit.rule},
                    {"sentence", hit.sentence}});
      rows.push_back(std::move(entry));
    }
  return rows;
}

Result<void> add_fusion(Session& session, const pass::NodeHistory& nodes,
                        const std::vector<pass::Breakpoint>& breakpoints, Json& rows) {
  const auto asks = [](const pass::Breakpoint& breakpoint) {
    return breakpoint.event == pass::BreakEvent::Fuse;
  };
  // `any` is about graph passes here; a plan of the whole network would bury them.
  std::vector<pass::Breakpoint> asking = breakpoints;
  for (pass::Breakpoint& breakpoint : asking) breakpoint.enabled = asks(breakpoint);
  if (std::none_of(breakpoints.begin(), breakpoints.end(), asks)) return {};
  const auto graph = TRY(session.graph());
  const auto plan = TRY(session.plan());
  for (const fusion::FuseHit& hit : fusion::fuse_hits(*plan, *graph, asking, &nodes)) {
    Json entry = row(to_text(breakpoints[hit.breakpoint]), pass::BreakEvent::Fuse, hit.node,
                     graph->node(hit.node).name);
    entry.update(
        {{"stage", "fusion"}, {"kernel", plan->group(hit.group).name}, {"sentence", hit.sentence}});
    rows.push_back(std::move(entry));
  }
  return {};
}

Result<std::vector<pass::Breakpoint>> parse(const std::vector<std::string>& texts,
                                            const Toolchain& toolchain) {
  std::vector<pass::Breakpoint> breakpoints;
  for (const std::string& text : texts) {
    breakpoints.push_back(TRY(typed(pass::parse_breakpoint(text))));
    const std::string& pass = breakpoints.back().pass;
    if (!pass.empty() &&
        std::none_of(toolchain.graph_passes.begin(), toolchain.graph_passes.end(),
                     [&](const pass::GraphPass& known) { return known.info.name == pass; }))
      return fail(Code::PassUnknown, fmt::format("there is no graph pass '{}'", pass), text,
                  did_you_mean(pass, graph_pass_names(), "loopglassc passes lists them"));
  }
  return breakpoints;
}

}  // namespace

Result<void> print_trace(Session& session, bool json) {
  const pass::NodeHistory nodes = TRY(node_history(session));
  Json rows = Json::array();
  for (std::size_t step = 0; step < nodes.history().steps.size(); ++step) {
    const auto& recorded = nodes.history().steps[step];
    if (!json && !recorded.rewrites.empty())
      fmt::print("{}\n", describe({step, pass::Report::all}, nodes.history()));
    for (std::size_t i = 0; i < recorded.rewrites.size(); ++i) {
      const pass::Rewrite& rewrite = recorded.rewrites[i];
      if (!json) print_rewrite(nodes, step, i);
      else
        rows.push_back({{"step", step},
                        {"index", i + 1},
                        {"position", to_text(pass::normalised({step, i + 1}, nodes.history()))},
                        {"pass", recorded.pass.name},
                        {"rule", rewrite.rule},
                        {"consumed", nodes_json(nodes, rewrite.consumed)},
                        {"made", nodes_json(nodes, rewrite.made)},
                        {"reason", rewrite.detail},
                        {"time_us", microseconds(rewrite.duration)}});
    }
  }
  if (json)
    print_json(Schema::PassesTrace, session.model_name(), Json{{"rewrites", std::move(rows)}});
  return {};
}

Result<void> print_stops(Session& session, const std::vector<std::string>& texts,
                         const ModelOptions& model, bool json) {
  const std::vector<pass::Breakpoint> breakpoints = TRY(parse(texts, session.toolchain()));
  if (std::ranges::none_of(breakpoints, [](const pass::Breakpoint& breakpoint) {
        return breakpoint.event == pass::BreakEvent::Fuse;
      }))
    TRY_VOID(refuse_switches(model, std::array{"--strategy"},
                             "breakpoints that are not about fusion",
                             "--break 'fuse ...', or leave it out"));
  const pass::NodeHistory nodes = TRY(node_history(session));
  for (const pass::Breakpoint& breakpoint : breakpoints)
    if (breakpoint.is_watchpoint() && pass::watched(nodes, breakpoint.node).empty())
      return std::unexpected(nodes.resolve(breakpoint.node).error());
  Json rows = stops_json(nodes, breakpoints);
  TRY_VOID(add_fusion(session, nodes, breakpoints, rows));
  if (json) {
    print_json(Schema::PassesBreak, session.model_name(), Json{{"stops", std::move(rows)}});
    return {};
  }
  for (const pass::Breakpoint& breakpoint : breakpoints)
    fmt::print("stops {}\n", in_words(breakpoint));
  for (const Json& row : rows)
    fmt::print("{:>8}  {:<8}{}\n", row.value("position", row["stage"].get<std::string>()),
               row["event"].get<std::string>(), row["sentence"].get<std::string>());
  fmt::print("{}\n", counted(rows.size(), "stop"));
  return {};
}

}  // namespace loopglass::app
