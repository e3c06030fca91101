// All graphs of a history as the states of one drawing.
#include "views/canvas/item_style.h"
#include "views/canvas/items.h"
#include "views/graph/graph_content.h"

#include <algorithm>

namespace loopglass::views {
namespace {

layout::SteadyState state_of(const graph::Graph& graph) {
  layout::SteadyState state;
  const auto source = [&](const graph::Value& value) -> std::optional<layout::Key> {
    if (value.producer.valid()) return node_key(value.producer);
    if (value.is_constant()) return {};
    return pill_key(value.id, true);
  };
  for (const graph::ValueId id : graph.inputs()) state.nodes.push_back(pill_key(id, true));
  for (const graph::NodePtr& node : graph.nodes()) {
    state.nodes.push_back(node_key(node->id));
    for (const graph::ValueId id : node->inputs)
      if (const graph::Value* value = graph.find(id))
        if (const auto from = source(*value)) state.edges.push_back({*from, node_key(node->id)});
  }
  for (const graph::ValueId id : graph.outputs()) {
    state.nodes.push_back(pill_key(id, false));
    if (const auto from = source(graph.value(id)))
      state.edges.push_back({*from, pill_key(id, false)});
  }
  return state;
}

const graph::Node* find(std::uint32_t node, const graph::Graph& before, const graph::Graph& after) {
  for (const graph::Graph* graph : {&before, &after})
    if (const graph::Node* found = graph->find(graph::NodeId{node})) return found;
  return nullptr;
}

enum class Alike : std::uint8_t { Name, Operator, Not };

bool are_alike(const graph::Node* a, const graph::Node* b, Alike how) {
  if (how == Alike::Not) return true;
  if (!a || !b) return a == b;
  return how == Alike::Name ? a->name == b->name : a->op == b->op;
}

// What is called the same takes the place, then like that of like; the rest as they come.
void pair_up(const pass::Rewrite& rewrite, const graph::Graph& before, const graph::Graph& after,
             std::vector<std::pair<layout::Key, layout::Key>>& pairs) {
  std::vector<std::uint32_t> consumed = rewrite.consumed, made = rewrite.made;
  for (const Alike how : {Alike::Name, Alike::Operator, Alike::Not})
    for (auto old = consumed.begin(); old != consumed.end();) {
      const auto taker = std::find_if(made.begin(), made.end(), [&](std::uint32_t node) {
        return are_alike(find(*old, before, after), find(node, before, after), how);
      });
      if (taker == made.end()) {
        ++old;
        continue;
      }
      pairs.emplace_back(node_key(graph::NodeId{*old}), node_key(graph::NodeId{*taker}));
      made.erase(taker);
      old = consumed.erase(old);
    }
}

}  // namespace

// The newest version of a node decides how large its place is.
HistoryBoxes history_boxes(const pass::GraphHistory& history, const GroupsOfGraph& groups,
                           BoxCache& boxes) {
  HistoryBoxes result;
  const auto padding = graph_spacing(true).cluster_padding;
  const graph::Graph* seen = nullptr;
  for (auto step = history.steps.rbegin(); step != history.steps.rend(); ++step) {
    const graph::Graph& graph = *step->result;
    if (std::exchange(seen, &graph) == &graph) continue;
    for (const graph::NodePtr& node : graph.nodes()) {
      const auto [entry, is_new] = result.nodes.try_emplace(node_key(node->id));
      if (!is_new) continue;
      const NodeBox& box = boxes.of(graph, node);
      QSizeF size = box.size;
      const fusion::GroupId group = groups.plan ? groups.group_of(*node) : fusion::GroupId{};
      if (group.valid() && groups.plan->group(group).nodes.size() > 1) {
        entry->second.cluster =
            result.cluster_of_group
                .try_emplace(group, static_cast<int>(result.cluster_of_group.size()))
                .first->second;
        size = BoxMeasure::in_cluster(size,
                                      boxes.of(groups.plan->group(group), groups.fused).title_width,
                                      box.label_width, padding);
      }
      entry->second.width = size.width();
      entry->second.height = size.height();
    }
    for (const bool input : {true, false})
      for (const graph::ValueId id : input ? graph.inputs() : graph.outputs()) {
        const auto [entry, is_new] = result.nodes.try_emplace(pill_key(id, input));
        if (!is_new) continue;
        const QSizeF size = boxes.size_of(make_pill(graph.value(id), input));
        entry->second.width = size.width();
        entry->second.height = size.height();
      }
  }
  return result;
}

layout::SteadyGraph steady_graph(const pass::GraphHistory& history, HistoryBoxes boxes) {
  layout::SteadyGraph result;
  const GraphSpacing spacing = graph_spacing(!boxes.cluster_of_group.empty());
  result.node_gap = spacing.node_gap;
  result.layer_gap = spacing.layer_gap;
  result.cluster_padding = spacing.cluster_padding;
  result.clusters = static_cast<int>(boxes.cluster_of_group.size());
  result.nodes = std::move(boxes.nodes);
  for (std::size_t i = 0; i < history.steps.size(); ++i) {
    const graph::Graph& graph = history.at(i);
    if (i > 0 && &graph == &history.at(i - 1)) continue;
    result.states.push_back(state_of(graph));
    if (i > 0)
      for (const pass::Rewrite& rewrite : history.steps[i].rewrites)
        pair_up(rewrite, history.at(i - 1), graph, result.states.back().successions);
  }
  return result;
}

}  // namespace loopglass::views
