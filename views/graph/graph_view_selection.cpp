// What is selected: in the document what was clicked in the graph, and in the graph what is
// selected anywhere.
#include "views/graph/graph_view.h"

#include <algorithm>

namespace loopglass::views {

CanvasHighlight GraphView::highlight() const {
  const Selection& selection = document_->selection();
  CanvasHighlight highlight;
  const auto primary = selection.primary_node();
  const bool single = std::holds_alternative<SelectedNode>(selection.current());
  for (const graph::NodeId id : selection.highlighted_nodes()) {
    const auto box = shown_.box_of_node.find(id);
    if (box == shown_.box_of_node.end()) continue;
    if (std::holds_alternative<FoldedPart>(shown_.entities[box->second])) {
      // Whatever of it is meant: the box is all there is to see of it.
      const bool whole = !picked_.empty() || (single && primary && primary->id == id) ||
                         std::holds_alternative<SelectedGroup>(selection.current());
      if (whole && !highlight.primary) highlight.primary = box->second;
      else if (highlight.primary != box->second) highlight.related.push_back(box->second);
    } else if (std::find(picked_.begin(), picked_.end(), id) != picked_.end())
      highlight.chosen.push_back(box->second);
    else if (single && primary && primary->id == id) highlight.primary = box->second;
    else highlight.related.push_back(box->second);
  }
  for (const graph::ValueId id : selection.highlighted_values()) {
    const auto [edge, last_edge] = shown_.edges_of_value.equal_range(id);
    for (auto e = edge; e != last_edge; ++e) {
      const bool chosen = chosen_edge_ && chosen_edge_->value == id &&
                          drawn().consumer(e->second) == chosen_edge_->consumer;
      if (chosen) highlight.primary_edge = e->second;
      else highlight.edges.push_back(e->second);
    }
    const auto [pill, last_pill] = shown_.pills.equal_range(id);
    for (auto p = pill; p != last_pill; ++p) {
      if (!highlight.primary) highlight.primary = p->second;
      else highlight.related.push_back(p->second);
    }
  }
  // What is gone at this place is shown by its ghost.
  if (const auto* selected = std::get_if<SelectedNode>(&selection.current())) {
    const auto ghost = shown_.box_of_node.find(selected->node->id);
    if (ghost != shown_.box_of_node.end() && canvas()->content().nodes[ghost->second].ghost) {
      if (highlight.primary) highlight.related.push_back(*highlight.primary);
      highlight.primary = ghost->second;
    }
  }
  // Someone who steps through a plan sees the edges of the moment.
  if (highlight.primary && !document_->fusion().moment()) {
    const auto& edges = canvas()->content().edges;
    for (std::uint32_t e = 0; e < edges.size(); ++e)
      if (edges[e].from == *highlight.primary || edges[e].to == *highlight.primary)
        highlight.edges.push_back(e);
  }
  // What the plan comes to in the end is not known there yet.
  for (std::uint32_t c = 0; c < shown_.groups.size() && !document_->fusion().moment(); ++c)
    if (selection.highlighted_groups().contains(shown_.groups[c])) highlight.clusters.push_back(c);
  return highlight;
}

void GraphView::show_selection() {
  // It is told again when what is related to it changes.
  const auto* node = std::get_if<SelectedNode>(&document_->selection().current());
  const auto* value = std::get_if<SelectedValue>(&document_->selection().current());
  if (!selecting_ && !(node && !picked_.empty() && node->node->id == picked_.front()))
    picked_.clear();
  if (!value || !chosen_edge_ || chosen_edge_->value != value->value->id) chosen_edge_.reset();
  const CanvasHighlight wanted = highlight();
  canvas()->set_highlight(wanted);
  // It is brought into view once; whoever looks elsewhere then stays there.
  const Selected& current = document_->selection().current();
  const pass::Position& place = document_->history().position();
  const bool was_brought = brought_ == current && brought_at_ == place;
  if (selecting_ || wanted.primary || !wanted.related.empty()) {
    brought_ = current;
    brought_at_ = place;
  }
  if (selecting_ || was_brought) return;
  if (wanted.primary) canvas()->show_if_hidden(*wanted.primary);
  else if (!wanted.related.empty())
    canvas()->show_if_hidden(*std::min_element(wanted.related.begin(), wanted.related.end()));
}

// What was clicked is in view, and must not move away.
void GraphView::stay_and(const std::function<void()>& select) {
  selecting_ = true;
  select();
  selecting_ = false;
}

void GraphView::select_box(std::uint32_t box) {
  stay_and([&] {
    picked_.clear();
    const auto& entity = shown_.entities[box];
    if (const auto* node = std::get_if<graph::NodeId>(&entity))
      document_->selection().select_node(*node);
    else if (const auto* part = std::get_if<FoldedPart>(&entity)) select_part(*part);
    else document_->selection().select_value(std::get<graph::ValueId>(entity));
  });
}

// A kernel, or all that is in a fold; the nodes of one block where it stands for others.
void GraphView::select_part(FoldedPart part) {
  const auto nodes = nodes_of(shown_, part);
  if (shown_.folded->boxes()[part.box].fold < 0)
    if (const fusion::GroupId group = document_->fusion().group_of(nodes.front()); group.valid())
      return document_->selection().select_group(group);
  select_fold(*shown_.folding, shown_.folded->boxes()[part.box], nodes);
}

void GraphView::select_fold(const graph::Folding& folding, const graph::FoldedBox& box,
                            const std::vector<graph::NodeId>& nodes) {
  picked_ = nodes;
  std::optional<SelectedPart> part;
  if (box.fold >= 0) {
    const graph::Fold& fold = folding.folds[static_cast<std::size_t>(box.fold)];
    part = SelectedPart{fold.title, fold.repeats * box.stands_for};
  }
  document_->selection().select_nodes(nodes, std::move(part));
}

bool GraphView::select_fold_of(graph::NodeId id) {
  const auto folding = this->folding();
  if (!folding) return false;
  const graph::FoldedGraph folded(*folding, open_folds_);
  const auto holds = [id](const graph::FoldItem& item) {
    return std::ranges::find(item.nodes, id) != item.nodes.end();
  };
  const auto item = std::ranges::find_if(folding->items, holds);
  if (item == folding->items.end()) return false;
  const std::uint32_t box =
      folded.box_of(static_cast<std::uint32_t>(item - folding->items.begin()));
  if (folded.boxes()[box].fold < 0) return false;
  stay_and([&] { select_fold(*folding, folded.boxes()[box], nodes_of(*folding, folded, box)); });
  return true;
}

// One more of several, or one less.
void GraphView::toggle_box(std::uint32_t box) {
  const auto* id = std::get_if<graph::NodeId>(&shown_.entities[box]);
  if (!id) return;
  stay_and([&] {
    const auto* selected = std::get_if<SelectedNode>(&document_->selection().current());
    if (picked_.empty() && selected) picked_.push_back(selected->node->id);
    const auto known = std::find(picked_.begin(), picked_.end(), *id);
    if (known == picked_.end()) picked_.push_back(*id);
    else picked_.erase(known);
    document_->selection().select_nodes(picked_);
  });
}

void GraphView::select_edge(std::uint32_t edge) {
  choose_edge({shown_.edge_values[edge], drawn().consumer(edge)});
}

void GraphView::choose_edge(ChosenEdge edge) {
  stay_and([&] {
    picked_.clear();
    chosen_edge_ = edge;
    document_->selection().select_value(edge.value);
  });
  const graph::Value* value =
      document_->history().graph() ? document_->history().graph()->find(edge.value) : nullptr;
  if (value && value->producer && edge.consumer) emit edgeChosen({value->producer, edge.consumer});
}

}  // namespace loopglass::views
