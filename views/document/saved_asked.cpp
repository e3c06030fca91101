#include "views/document/saved_asked.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace loopglass::views {

std::vector<std::string> edge_texts(const std::set<fusion::Edge>& edges,
                                    const graph::Graph* graph) {
  const auto end = [&](graph::NodeId id) {
    const graph::Node* node = graph ? graph->find(id) : nullptr;
    return node ? node->name : fmt::format("#{}", id.value);
  };
  std::vector<std::string> texts;
  for (const fusion::Edge& edge : edges)
    texts.push_back(end(edge.producer) + ":" + end(edge.consumer));
  return texts;
}

namespace {

// "#12:#15"
std::optional<fusion::Edge> numbered_edge(std::string_view text) {
  const auto number = [&]() -> std::optional<graph::NodeId> {
    std::uint32_t value = 0;
    if (!text.starts_with('#')) return {};
    const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), value);
    if (error != std::errc()) return {};
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return graph::NodeId{value};
  };
  const auto producer = number();
  if (!producer || !text.starts_with(':')) return {};
  text.remove_prefix(1);
  const auto consumer = number();
  if (!consumer || !text.empty()) return {};
  return fusion::Edge{*producer, *consumer};
}

std::set<fusion::Edge> numbered_edges(const std::vector<std::string>& texts) {
  std::set<fusion::Edge> edges;
  for (const std::string& text : texts)
    if (const auto edge = numbered_edge(text)) edges.insert(*edge);
  return edges;
}

bool has_strategy(const Toolchain& toolchain, const std::string& name) {
  return std::ranges::any_of(toolchain.strategies, [&](const fusion::Strategy& strategy) {
    return strategy.name == name;
  });
}

}  // namespace

SavedAsked to_saved(const Asked& asked, const graph::Graph* graph) {
  SavedAsked saved;
  saved.request.pipeline = asked.pipeline;
  saved.request.memory_limit = asked.settings.memory_limit;
  saved.request.strategy = asked.plan.strategy;
  saved.request.forced = edge_texts(asked.plan.constraints.forced, graph);
  saved.request.forbidden = edge_texts(asked.plan.constraints.forbidden, graph);
  saved.request.edits = asked.plan.edits;
  saved.breakpoints = asked.breakpoints;
  saved.bookmarks = asked.bookmarks;
  saved.schedules = asked.schedules;
  return saved;
}

Asked from_saved(const SavedAsked& saved, const Toolchain& toolchain,
                 std::vector<Diagnostic>& problems) {
  const Request& request = saved.request;
  Asked asked;
  asked.pipeline = request.pipeline;
  asked.settings.memory_limit = request.memory_limit;
  asked.plan.edits = request.edits;
  asked.plan.constraints = {numbered_edges(request.forced), numbered_edges(request.forbidden)};
  asked.breakpoints = saved.breakpoints;
  asked.bookmarks = saved.bookmarks;
  asked.schedules = saved.schedules;

  if (!asked.pipeline.empty())
    if (const auto parsed = toolchain.parse_pipeline(asked.pipeline); !parsed) {
      problems.push_back(parsed.error());
      asked.pipeline.clear();
      asked.plan.constraints = {};
    }
  if (asked.pipeline.empty() && !toolchain.presets.empty())
    asked.pipeline = toolchain.presets.front().name;

  for (std::string strategy : {request.strategy, asked.plan.edits.base})
    if (!strategy.empty() && !has_strategy(toolchain, strategy))
      problems.push_back({Code::StrategyUnknown,
                          fmt::format("there is no fusion strategy '{}'", strategy),
                          {},
                          "the default one takes its place"});
  if (!has_strategy(toolchain, asked.plan.edits.base)) asked.plan.edits.base.clear();
  asked.plan.strategy = request.strategy;
  const bool nothing_by_hand = request.strategy == "manual" && request.edits.edits.empty();
  if ((!has_strategy(toolchain, request.strategy) || nothing_by_hand) &&
      !toolchain.strategies.empty())
    asked.plan.strategy = toolchain.strategies.front().name;
  return asked;
}

fusion::Constraints find_constraints(const Request& request, const graph::Graph& graph,
                                     std::vector<Diagnostic>& problems) {
  fusion::Constraints constraints;
  const auto find = [&](const std::vector<std::string>& texts, std::set<fusion::Edge>& edges) {
    for (const std::string& text : texts) {
      auto edge = fusion::find_edge(graph, text);
      if (edge) edges.insert(*edge);
      else problems.push_back(std::move(edge).error());
    }
  };
  find(request.forced, constraints.forced);
  find(request.forbidden, constraints.forbidden);
  return constraints;
}

fusion::EditScript find_edits(const Request& request, const graph::Graph& graph,
                              std::vector<Diagnostic>& problems) {
  fusion::EditScript script = request.edits;
  std::erase_if(script.edits, [&](const fusion::Edit& edit) {
    const auto missing = std::ranges::find_if(
        edit.nodes, [&](const std::string& name) { return !graph.find_node(name); });
    if (missing == edit.nodes.end()) return false;
    problems.push_back({Code::GraphEntityUnknown,
                        fmt::format("the edit '{}' names '{}', and there is no such operator",
                                    fusion::to_text(edit), *missing),
                        {},
                        "the other edits are made"});
    return true;
  });
  return script;
}

}  // namespace loopglass::views
