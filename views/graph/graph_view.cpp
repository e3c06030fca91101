#include "views/graph/graph_view.h"

#include "views/canvas/canvas_pane.h"
#include "views/document/stage_page.h"
#include "views/graph/family_legend.h"
#include "views/theme.h"

#include <QHBoxLayout>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <map>

namespace loopglass::views {

GraphView::GraphView(Document* document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      pane_(new CanvasPane(&document->jobs(), "graph layout")),
      groups_(new QToolButton),
      legend_(new FamilyLegend) {
  make_tools();
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(
      new StagePage(document, Stage::Model, pane_, tr("Open a model to see its graph.")));
  setFocusProxy(pane_->canvas());

  connect(document, &Document::stepChanged, this, &GraphView::refresh_later);
  connect(document, &Document::historyChanged, this, &GraphView::refresh_later);
  connect(document, &Document::stageChanged, this, [this](Stage stage) {
    if (stage == Stage::Plan) refresh_later();
  });
  connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, &GraphView::refresh_later);
  connect(&document->selection(), &Selection::selectionChanged, this, &GraphView::show_selection);

  Selection* selection = &document->selection();
  connect(canvas(), &GraphCanvas::layoutChanged, this, &GraphView::show_content);
  connect(canvas(), &GraphCanvas::nodeClicked, this, &GraphView::select_box);
  connect(canvas(), &GraphCanvas::edgeClicked, this, [this, selection](quint32 edge) {
    stay_and([&] { selection->select_value(shown_.edge_values[edge]); });
  });
  connect(canvas(), &GraphCanvas::clusterClicked, this, [this, selection](quint32 cluster) {
    stay_and([&] { selection->select_group(shown_.groups[cluster]); });
  });
  connect(canvas(), &GraphCanvas::backgroundClicked, selection, &Selection::clear);
  refresh();
}

void GraphView::make_tools() {
  groups_->setText(tr("Kernels"));
  groups_->setToolTip(
      tr("Draw the fused groups, each of which becomes one kernel, over the graph"));
  groups_->setCheckable(true);
  groups_->setChecked(true);
  groups_->setAutoRaise(true);
  connect(groups_, &QToolButton::toggled, this, &GraphView::refresh_later);
  pane_->tools()->insertWidget(0, groups_);
  pane_->tools()->insertWidget(1, legend_, 1);
}

GraphCanvas* GraphView::canvas() const { return pane_->canvas(); }
void GraphView::find() { pane_->find(); }
void GraphView::fit() { canvas()->fit(); }

// One change of the document is often several signals.
void GraphView::refresh_later() {
  if (refresh_pending_) return;
  refresh_pending_ = true;
  QMetaObject::invokeMethod(this, &GraphView::refresh, Qt::QueuedConnection);
}

void GraphView::refresh() {
  refresh_pending_ = false;
  const auto graph = document_->graph();
  const auto history = document_->history();
  // Groups change the layout; wait for them rather than draw everything twice.
  if (graph && document_->state(Stage::Plan) == StageState::Working) return;
  GraphContent content;
  if (graph) {
    const std::size_t step = document_->step();
    const graph::Graph* before = step > 0 ? history->steps[step - 1].result.get() : nullptr;
    GroupsOfGraph groups{groups_->isChecked() ? document_->plan().get() : nullptr,
                         [this](graph::NodeId id) { return document_->group_of(id); }};
    content = make_graph_content(*graph, before, groups);
  }
  next_ = std::move(content);
  const bool fresh = history.get() != history_shown_;
  history_shown_ = history.get();
  canvas()->set_content(std::move(next_.canvas), fresh);
}

void GraphView::show_content() {
  shown_ = std::move(next_);
  next_ = {};
  std::map<ops::Family, int> families;
  if (const auto graph = document_->graph())
    for (const graph::NodePtr& node : graph->nodes()) ++families[node->op->family];
  legend_->set_families({families.begin(), families.end()});
  show_status();
  show_selection();
}

void GraphView::show_status() {
  const auto graph = document_->graph();
  if (!graph) return pane_->set_status({});
  const Theme& t = theme();
  QStringList parts;
  const auto colored = [](const QColor& color, const QString& text) {
    return QString("<span style='color:%1'>%2</span>").arg(color.name(), text);
  };
  const auto count = graph->nodes().size();
  parts << (count == 1 ? tr("1 operator") : tr("%1 operators").arg(count));
  if (shown_.created) parts << colored(t.good, tr("+ %1 new").arg(shown_.created));
  if (shown_.changed) parts << colored(t.warning, tr("~ %1 changed").arg(shown_.changed));
  if (shown_.removed) parts << colored(t.error, tr("− %1 removed").arg(shown_.removed));
  const QString drawn = describe_layout(canvas()->current_layout());
  if (!drawn.isEmpty()) parts << colored(t.muted, drawn);
  pane_->set_status(parts.join(" · "));
}

CanvasHighlight GraphView::highlight() const {
  const Selection& selection = document_->selection();
  CanvasHighlight highlight;
  const auto primary = selection.primary_node();
  const bool single = std::holds_alternative<SelectedNode>(selection.current());
  for (const graph::NodeId id : selection.highlighted_nodes()) {
    const auto box = shown_.box_of_node.find(id);
    if (box == shown_.box_of_node.end()) continue;
    if (single && primary && primary->id == id)
      highlight.primary = box->second;
    else
      highlight.related.push_back(box->second);
  }
  for (const graph::ValueId id : selection.highlighted_values()) {
    const auto [edge, last_edge] = shown_.edges_of_value.equal_range(id);
    for (auto e = edge; e != last_edge; ++e) highlight.edges.push_back(e->second);
    const auto [pill, last_pill] = shown_.pills.equal_range(id);
    for (auto p = pill; p != last_pill; ++p) {
      if (!highlight.primary)
        highlight.primary = p->second;
      else
        highlight.related.push_back(p->second);
    }
  }
  if (highlight.primary) {
    const auto& edges = canvas()->content().edges;
    for (std::uint32_t e = 0; e < edges.size(); ++e)
      if (edges[e].from == *highlight.primary || edges[e].to == *highlight.primary)
        highlight.edges.push_back(e);
  }
  for (std::uint32_t c = 0; c < shown_.groups.size(); ++c)
    if (selection.highlighted_groups().contains(shown_.groups[c])) highlight.clusters.push_back(c);
  return highlight;
}

void GraphView::show_selection() {
  const CanvasHighlight wanted = highlight();
  canvas()->set_highlight(wanted);
  if (selecting_) return;
  if (wanted.primary)
    canvas()->show_if_hidden(*wanted.primary);
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
    const auto& entity = shown_.entities[box];
    if (const auto* node = std::get_if<graph::NodeId>(&entity))
      document_->selection().select_node(*node);
    else
      document_->selection().select_value(std::get<graph::ValueId>(entity));
  });
}

}  // namespace loopglass::views
