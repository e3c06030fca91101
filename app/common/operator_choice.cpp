#include "app/common/operator_choice.h"

#include "core/pass/node_history.h"

#include <fmt/ranges.h>

namespace loopglass::app {

namespace {

// How it went.
std::string end_of(const pass::NodeHistory& nodes, graph::NodeId node) {
  const std::vector<std::string> story = nodes.story(node);
  return story.empty() ? std::string() : story.back();
}

}  // namespace

Result<ChosenOperator> choose_operator(Session& session, const std::string& name,
                                       const std::string& option) {
  const auto graph = TRY(session.graph());
  if (const graph::Node* node = graph->find_node(name)) return ChosenOperator{{node->id}, {}};
  const auto history = TRY(session.graph_history());
  const pass::NodeHistory nodes(history, [&](std::size_t step, std::size_t rewrites) {
    return session.graph_at(step, rewrites);
  });
  const graph::NodeId node = TRY(nodes.resolve(name));
  ChosenOperator chosen{nodes.at_step(node, history->steps.size() - 1), end_of(nodes, node)};
  if (chosen.nodes.empty())
    return fail(Code::GraphEntityUnknown,
                fmt::format("nothing is left of '{}': {}", nodes.name_of(node), chosen.became),
                option, fmt::format("loopglassc history MODEL {} tells it all", name));
  if (chosen.nodes == std::vector{node}) chosen.became.clear();
  else chosen.became = fmt::format("{}; it is {} now", chosen.became, nodes.names_of(chosen.nodes));
  return chosen;
}

namespace {

// Of what both ends have become, those of which one reads the other.
std::vector<fusion::Edge> edges_between(const graph::Graph& graph, const ChosenOperator& from,
                                        const ChosenOperator& to) {
  std::vector<fusion::Edge> edges;
  for (const graph::NodeId producer : from.nodes)
    for (const graph::NodeId consumer : to.nodes)
      if (producer != consumer && fusion::reads(graph, producer, consumer))
        edges.push_back({producer, consumer});
  return edges;
}

}  // namespace

// Names may have colons: each is tried as the one between.
Result<ChosenEdge> choose_edge(Session& session, const std::string& text) {
  const auto graph = TRY(session.graph());
  const auto found = fusion::find_edge(*graph, text);
  if (found) return ChosenEdge{*found, {}};
  if (found.error().code == Code::UsageInvalid) return std::unexpected(found.error());
  Diagnostic refusal = found.error();
  for (std::size_t colon = text.find(':'); colon != std::string::npos;
       colon = text.find(':', colon + 1)) {
    const auto from = choose_operator(session, text.substr(0, colon), "--edge");
    const auto to = choose_operator(session, text.substr(colon + 1), "--edge");
    // Of the last two that are no operators: of names of all steps the nearest is known.
    if (!from) refusal = from.error();
    else if (!to) refusal = to.error();
    if (!from || !to || (from->became.empty() && to->became.empty())) continue;
    ChosenEdge chosen;
    for (const ChosenOperator* end : {&*from, &*to})
      if (!end->became.empty()) chosen.became.push_back(end->became);
    const std::vector<fusion::Edge> edges = edges_between(*graph, *from, *to);
    if (edges.empty())
      return fail(Code::GraphEntityUnknown,
                  fmt::format("'{}' is no edge any more: {}", text, fmt::join(chosen.became, "; ")),
                  "--edge", "loopglassc history MODEL OPERATOR tells it all");
    chosen.edge = edges.front();
    chosen.became.push_back(fmt::format("the edge is {} -> {} now",
                                        graph->node(chosen.edge.producer).name,
                                        graph->node(chosen.edge.consumer).name));
    return chosen;
  }
  return std::unexpected(std::move(refusal));
}

}  // namespace loopglass::app
