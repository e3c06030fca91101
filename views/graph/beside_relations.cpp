// What the second canvas has to do with the first: where the same operators stand, what is
// selected, and what a click means to the document.
#include "core/pass/position.h"
#include "views/document/debugger.h"
#include "views/document/verdict_html.h"
#include "views/graph/beside_canvas.h"
#include "views/graph/graph_view.h"
#include "views/text.h"

#include <QLabel>

#include <algorithm>
#include <set>
#include <utility>

namespace loopglass::views {

void BesideCanvas::relate() {
  const auto lives = document_->debugger().nodes();
  if (is_of_document()) {
    here_ = Counterparts(document_->history().graph(), lives, document_->history().position().step);
    there_ = Counterparts(place_->graph, lives, place_->position.step);
  } else {
    here_ = Counterparts::by_name(document_->history().graph());
    there_ = Counterparts::by_name(place_->graph);
  }
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> BesideCanvas::same_boxes(
    const GraphContent& content) const {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> boxes;
  const auto graph = document_->history().graph();
  const GraphContent& first = first_->content();
  if (!graph) return boxes;
  std::set<std::pair<std::uint32_t, std::uint32_t>> known;  // a folded part is one box for many
  const auto add = [&](std::uint32_t here, std::uint32_t there) {
    if (known.emplace(here, there).second) boxes.emplace_back(here, there);
  };
  for (const graph::NodePtr& node : graph->nodes()) {
    const auto here = first.box_of_node.find(node->id);
    if (here == first.box_of_node.end()) continue;
    const std::vector<graph::NodeId> found = there_.of(*node);
    const auto there =
        found.empty() ? content.box_of_node.end() : content.box_of_node.find(found.front());
    if (there != content.box_of_node.end()) add(here->second, there->second);
  }
  for (const auto& [id, here] : first.pills) {
    const graph::Value* value = graph->find(id);
    const graph::Value* same = value ? there_.same(*value) : nullptr;
    const auto there = same ? content.pills.find(same->id) : content.pills.end();
    if (there != content.pills.end()) add(here, there->second);
  }
  return boxes;
}

std::vector<LinkedPlace> BesideCanvas::linked_places() const {
  std::vector<LinkedPlace> places;
  for (const auto& [here, there] : same_boxes(content_))
    places.push_back({first_->canvas()->place_of_node(here), canvas_->place_of_node(there)});
  return places;
}

std::vector<std::optional<std::size_t>> BesideCanvas::columns_of_first(
    const GraphContent& content) const {
  std::vector<std::optional<std::size_t>> columns(content.entities.size());
  const layout::Layout* drawn = first_->canvas()->current_layout();
  if (!drawn || drawn->column_of.empty()) return columns;
  for (const auto& [here, there] : same_boxes(content)) columns[there] = drawn->column_of[here];
  return columns;
}

// --- what is selected, here ---

CanvasHighlight BesideCanvas::highlight() const {
  CanvasHighlight highlight;
  const Selection& selection = document_->selection();
  const auto graph = document_->history().graph();
  if (!place_ || !graph) return highlight;
  const auto light = [&](graph::NodeId id, bool first) {
    const auto box = content_.box_of_node.find(id);
    if (box == content_.box_of_node.end() || highlight.primary == box->second) return;
    if (first && !highlight.primary) highlight.primary = box->second;
    else highlight.related.push_back(box->second);
  };
  if (clicked_) light(*clicked_, true);
  if (const auto* selected = std::get_if<SelectedNode>(&selection.current()))
    for (const graph::NodeId id : there_.of(*selected->node)) light(id, true);
  for (const graph::NodeId id : selection.highlighted_nodes())
    if (const graph::Node* node = graph->find(id))
      for (const graph::NodeId there : there_.of(*node)) light(there, false);
  for (const graph::ValueId id : selection.highlighted_values()) {
    const graph::Value* value = graph->find(id);
    const graph::Value* there = value ? there_.same(*value) : nullptr;
    if (!there) continue;
    const auto [edge, last_edge] = content_.edges_of_value.equal_range(there->id);
    for (auto e = edge; e != last_edge; ++e) highlight.edges.push_back(e->second);
    const auto pill = content_.pills.find(there->id);
    if (pill != content_.pills.end() && !highlight.primary) highlight.primary = pill->second;
  }
  const CanvasContent& drawn = canvas_->content();
  for (std::uint32_t e = 0; highlight.primary && e < drawn.edges.size(); ++e)
    if (drawn.edges[e].from == *highlight.primary || drawn.edges[e].to == *highlight.primary)
      highlight.edges.push_back(e);
  std::set<int> clusters;
  if (highlight.primary) clusters.insert(drawn.nodes[*highlight.primary].cluster);
  if (std::holds_alternative<SelectedGroup>(selection.current()))
    for (const std::uint32_t box : highlight.related) clusters.insert(drawn.nodes[box].cluster);
  for (const int cluster : clusters)
    if (cluster >= 0) highlight.clusters.push_back(static_cast<std::uint32_t>(cluster));
  return highlight;
}

void BesideCanvas::show_selection() {
  if (!is_open() || !place_ || content_.entities.empty()) return;
  const Selected& current = document_->selection().current();
  const bool other = std::exchange(brought_, current) != current;
  if (!selecting_ && other) {
    clicked_.reset();
    note_.clear();
    show_status();
  }
  const CanvasHighlight wanted = highlight();
  canvas_->set_highlight(wanted);
  if (selecting_ || !other) return;
  link_->move_alone([&] {
    if (wanted.primary) canvas_->show_if_hidden(*wanted.primary);
    else if (!wanted.related.empty())
      canvas_->show_if_hidden(*std::ranges::min_element(wanted.related));
  });
}

void BesideCanvas::stay_and(const std::function<void()>& select) {
  const bool was_selecting = std::exchange(selecting_, true);
  select();
  selecting_ = was_selecting;
  brought_ = document_->selection().current();
}

// --- what a click here means there ---

// What was clicked is in view. Unlinked, the first canvas goes to what it means there.
void BesideCanvas::select(const std::function<void()>& select) {
  note_.clear();
  selecting_ = true;
  if (shown_.linked) first_->stay_and(select);
  else select();
  selecting_ = false;
  canvas_->set_highlight(highlight());
  show_status();
}

void BesideCanvas::say_missing(const std::string& name, const std::vector<graph::NodeId>& instead) {
  const QString where =
      text(pass::describe(document_->history().position(), *document_->history().recorded()));
  QStringList names;
  constexpr std::size_t most = 2;
  for (std::size_t i = 0; i < std::min(most, instead.size()); ++i)
    names << text(document_->history().graph()->node(instead[i]).name);
  if (instead.size() > most) names << tr("%1 more").arg(instead.size() - most);
  note_ = names.isEmpty()
              ? tr("%1 is not in %2, and nothing is in its place").arg(text(name), where)
              : tr("%1 is not in %2: %3 in its place").arg(text(name), where, names.join(", "));
}

void BesideCanvas::choose_box(std::uint32_t box) {
  const auto& entity = content_.entities[box];
  if (const auto* part = std::get_if<FoldedPart>(&entity))
    return choose_nodes(nodes_of(content_, *part));
  if (const auto* value = std::get_if<graph::ValueId>(&entity))
    return choose_value(place_->graph->value(*value), {});
  const graph::Node& node = place_->graph->node(std::get<graph::NodeId>(entity));
  const std::vector<graph::NodeId> here = here_.of(node);
  Selection& selection = document_->selection();
  clicked_ = node.id;
  select([&] {
    if (is_of_document())
      selection.select_node(node.id);  // also of another step: what it became is lit
    else if (!here.empty()) selection.select_nodes(here);
    else selection.clear();
    if (!here_.same(node)) say_missing(node.name, here);
  });
}

void BesideCanvas::choose_nodes(const std::vector<graph::NodeId>& nodes) {
  std::vector<graph::NodeId> here;
  for (const graph::NodeId id : nodes)
    for (const graph::NodeId counterpart : here_.of(place_->graph->node(id)))
      if (std::ranges::find(here, counterpart) == here.end()) here.push_back(counterpart);
  clicked_.reset();
  select([&] {
    if (here.empty()) say_missing(place_->graph->node(nodes.front()).name, here);
    document_->selection().select_nodes(here);
  });
}

void BesideCanvas::choose_value(const graph::Value& value, graph::NodeId consumer) {
  const graph::Value* here = here_.same(value);
  const graph::Node* reader = place_->graph->find(consumer);
  const graph::Node* reader_here = reader ? here_.same(*reader) : nullptr;
  clicked_.reset();
  select([&] {
    if (here && reader_here) first_->choose_edge({here->id, reader_here->id});
    else if (here) document_->selection().select_value(here->id);
    else say_missing(value.name, {});
  });
}

void BesideCanvas::choose_group(fusion::GroupId group) {
  if (place_->plan != document_->fusion().plan())
    return choose_nodes(place_->plan->group(group).nodes);
  clicked_.reset();
  select([&] { document_->selection().select_group(group); });
}

// Folds that are alike open in both canvases.
void BesideCanvas::open_box(std::uint32_t box) {
  if (box >= content_.entities.size()) return;
  const auto* part = std::get_if<FoldedPart>(&content_.entities[box]);
  if (!part || content_.folded->boxes()[part->box].fold < 0) return;
  first_->change_folds([folding = content_.folding,
                        which = content_.folded->boxes()[part->box].fold](graph::OpenFolds& open) {
    graph::open_fold(open, *folding, folding->folds[static_cast<std::size_t>(which)]);
  });
}

// --- what is said of it ---

QString BesideCanvas::tip_of_box(std::uint32_t box) const {
  if (const auto* value = std::get_if<graph::ValueId>(&content_.entities[box]))
    return value_tooltip(place_->graph->value(*value));
  if (const auto* part = std::get_if<FoldedPart>(&content_.entities[box])) {
    const graph::FoldedBox& folded = content_.folded->boxes()[part->box];
    return text(folded.fold >= 0
                    ? content_.folding->folds[static_cast<std::size_t>(folded.fold)].title
                    : content_.folding->items[folded.item].name)
        .toHtmlEscaped();
  }
  const graph::Node& node = place_->graph->node(std::get<graph::NodeId>(content_.entities[box]));
  const QString tip = node_tooltip(*place_->graph, node);
  return here_.same(node) ? tip : tip + tr("<p>not in the graph on the other side</p>");
}

QString BesideCanvas::tip_of_edge(std::uint32_t edge) const {
  const graph::Value* value = place_->graph->find(content_.edge_values[edge]);
  if (!value) return {};
  const Drawn drawn{content_, canvas_->content()};
  const bool is_told = place_->plan && !document_->fusion().is_guessing();
  if (const auto decisions = drawn.decisions(verdicts_, edge); is_told && decisions.size() > 1)
    return verdict_counts(decisions);
  const fusion::Decision* decision = is_told ? drawn.decision(verdicts_, edge) : nullptr;
  return decision ? value_tooltip(*value) + "<p>" +
                        verdict_html(*decision, *document_->cost_model()) + "</p>"
                  : value_tooltip(*value);
}

}  // namespace loopglass::views
