// The choice between the two layout engines.
#include "views/layout/layout.h"

#include "core/support/check.h"
#include "views/layout/graphviz_engine.h"
#include "views/layout/layered_core.h"
#include "views/layout/layered_engine.h"

#include <algorithm>
#include <string>

namespace loopglass::layout {
namespace {

// dot takes about a second up to here; measured on chains of residual blocks, on networks in which
// one tensor feeds every block.
constexpr std::int64_t graphviz_span_limit = 6000;

void check_valid(const LayoutGraph& graph) {
  for (const Edge& edge : graph.edges) {
    CHECK(edge.from < graph.nodes.size() && edge.to < graph.nodes.size(), "edge without its node");
    CHECK(edge.from != edge.to, "self-loop");
  }
  for (const Node& node : graph.nodes) CHECK(node.cluster < graph.clusters, "unknown cluster");
}

}  // namespace

std::string_view name(Engine engine) {
  switch (engine) {
    case Engine::Graphviz: return "dot";
    case Engine::Layered: return "layered";
  }
  __builtin_unreachable();
}

std::int64_t total_edge_span(const LayoutGraph& graph) {
  const std::vector<int> layers = longest_path_layers(graph.nodes.size(), graph.edges);
  std::int64_t span = static_cast<std::int64_t>(graph.nodes.size());
  for (const Edge& edge : graph.edges) span += layers[edge.to] - layers[edge.from];
  return span;
}

Result<Layout> lay_out(const LayoutGraph& graph, const Cancellation& cancellation,
                       std::optional<Engine> wanted) {
  check_valid(graph);
  const auto start = std::chrono::steady_clock::now();
  const Engine engine = wanted.value_or(
      total_edge_span(graph) <= graphviz_span_limit ? Engine::Graphviz : Engine::Layered);
  std::optional<Layout> layout;
  if (engine == Engine::Graphviz) layout = lay_out_with_graphviz(graph, cancellation);
  if (cancellation.requested()) return fail(Code::Cancelled, "the layout was cancelled");
  if (!layout) layout = TRY(lay_out_layered(graph, cancellation));
  layout->duration = std::chrono::steady_clock::now() - start;
  return std::move(*layout);
}

}  // namespace loopglass::layout
