#include "views/dominators/dominator_view.h"

#include "views/canvas/canvas_pane.h"
#include "views/canvas/named_camera.h"
#include "views/document/stage_page.h"
#include "views/document/trail.h"
#include "views/text.h"
#include "views/theme.h"
#include "views/widgets/tool_row.h"

#include <QComboBox>
#include <QScopedValueRollback>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace loopglass::views {

DominatorView::DominatorView(Document* document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      pane_(new CanvasPane(&document->jobs(), "dominator tree layout")),
      choice_(new QComboBox) {
  make_tools();
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(new StagePage(document, Stage::Dominators, pane_,
                                  tr("Open a model to see its dominator tree.")));
  setFocusProxy(canvas());

  // What was wanted of it was wanted of the model before.
  connect(document, &Document::modelChanged, this, [this] { wanted_camera_.reset(); });
  connect(&document->history(), &HistoryStage::dominatorsChanged, this,
          &DominatorView::refresh_later);
  connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, &DominatorView::refresh_later);
  connect(&document->selection(), &Selection::selectionChanged, this,
          &DominatorView::show_selection);
  connect(canvas(), &GraphCanvas::layoutChanged, this, [this] {
    shown_ = std::move(next_);
    next_ = {};
    if (take_camera()) stay_and([this] { show_selection(); });
    else show_selection();
  });
  connect(canvas(), &GraphCanvas::nodeClicked, this, [this](quint32 box) {
    stay_and([&] {
      if (shown_.nodes[box].valid()) document_->selection().select_node(shown_.nodes[box]);
      else document_->selection().clear();
    });
  });
  connect(canvas(), &GraphCanvas::backgroundClicked, &document->selection(), &Selection::clear);
  connect(canvas(), &GraphCanvas::leaveWanted, document, [document] { leave(*document); });
  refresh();
}

void DominatorView::make_tools() {
  // In the order of graph::Direction.
  choice_->addItems({tr("Dominators"), tr("Post-dominators")});
  choice_->setItemData(
      0, tr("An operator's parent is the last one that every path from the inputs passes through"),
      Qt::ToolTipRole);
  choice_->setItemData(
      1, tr("An operator's parent is the first one that every path to the outputs passes through"),
      Qt::ToolTipRole);
  choice_->setToolTip(tr("What a parent in the tree is"));
  pane_->tools()->insert(0, choice_);
  connect(choice_, &QComboBox::activated, this,
          [this](int index) { set_direction(static_cast<graph::Direction>(index)); });
}

GraphCanvas* DominatorView::canvas() const { return pane_->canvas(); }
void DominatorView::find() { pane_->find(); }
void DominatorView::fit() { canvas()->fit(); }

void DominatorView::set_direction(graph::Direction direction) {
  choice_->setCurrentIndex(static_cast<int>(direction));
  if (direction == direction_) return;
  direction_ = direction;
  turned_ = true;
  refresh();
  emit directionChanged();
}

SavedDominators DominatorView::saved() const {
  SavedDominators saved{direction_ == graph::Direction::PostDominators, wanted_camera_};
  const auto graph = document_->history().graph();
  if (wanted_camera_ || !graph || !canvas()->current_layout()) return saved;
  saved.camera =
      camera_of(*canvas(), shown_.nodes.size(), [&](std::uint32_t box) -> std::optional<BoxName> {
        const graph::Node* node = graph->find(shown_.nodes[box]);
        return node ? std::optional(BoxName{node->name}) : std::nullopt;
      });
  return saved;
}

void DominatorView::resume(const SavedDominators& saved) {
  wanted_camera_ = saved.camera;
  set_direction(saved.post ? graph::Direction::PostDominators : graph::Direction::Dominators);
  const bool is_drawn = canvas()->current_layout() && isVisible() && !refresh_pending_ && !turned_;
  if (is_drawn && next_.nodes.empty()) take_camera();
}

// Where the drawing has the box; else it stays wanted until a drawing comes that has.
bool DominatorView::take_camera() {
  const auto graph = document_->history().graph();
  const graph::Node* node =
      wanted_camera_ && graph ? graph->find_node(wanted_camera_->box) : nullptr;
  const auto box = node ? shown_.box_of_node.find(node->id) : shown_.box_of_node.end();
  if (box == shown_.box_of_node.end()) return false;
  views::look_at(*canvas(), box->second, *std::exchange(wanted_camera_, {}));
  return true;
}

void DominatorView::stay_and(const std::function<void()>& select) {
  const QScopedValueRollback staying(staying_, true);
  select();
}

void DominatorView::refresh_later() {
  if (refresh_pending_) return;
  refresh_pending_ = true;
  QMetaObject::invokeMethod(this, &DominatorView::refresh, Qt::QueuedConnection);
}

void DominatorView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  refresh_later();
}

// A tree that nobody sees is not drawn: on a large graph it would hold up every step.
void DominatorView::refresh() {
  refresh_pending_ = false;
  if (!isVisible()) return;
  const auto graph = document_->history().graph();
  const auto tree = document_->history().dominators(direction_);
  if (graph && !tree) return;  // on its way
  next_ = tree ? make_dominator_content(*graph, *tree) : DominatorContent{};
  const void* history = document_->history().recorded().get();
  const bool fresh = history != history_shown_ || turned_;
  history_shown_ = history;
  turned_ = false;
  if (fresh) brought_ = {};
  canvas()->set_content(std::exchange(next_.canvas, {}), fresh);
}

void DominatorView::show_selection() {
  const Selection& selection = document_->selection();
  CanvasHighlight highlight;
  const auto primary = selection.primary_node();
  const auto box_of = [&](graph::NodeId id) -> std::optional<std::uint32_t> {
    const auto box = shown_.box_of_node.find(id);
    return box == shown_.box_of_node.end() ? std::nullopt : std::optional(box->second);
  };
  for (const graph::NodeId id : selection.highlighted_nodes()) {
    const auto box = box_of(id);
    if (!box) continue;
    if (primary && primary->id == id) highlight.primary = box;
    else highlight.related.push_back(*box);
  }
  // The path to the root.
  const auto& edges = canvas()->content().edges;
  for (std::optional<std::uint32_t> box = highlight.primary; box && shown_.edge_into[*box] >= 0;) {
    const auto edge = static_cast<std::uint32_t>(shown_.edge_into[*box]);
    highlight.edges.push_back(edge);
    box = edges[edge].from;
  }
  show_status(highlight.primary ? shown_.nodes[*highlight.primary] : graph::NodeId{});
  const auto box = highlight.primary;
  const graph::NodeId selected = primary ? primary->id : graph::NodeId{};
  canvas()->set_highlight(std::move(highlight));
  if (box && !staying_ && selected != brought_) canvas()->show_if_hidden(*box);
  if (box || !primary) brought_ = selected;
}

void DominatorView::show_status(graph::NodeId selected) {
  const auto tree = document_->history().dominators(direction_);
  const auto graph = document_->history().graph();
  const QString drawn = QString("<span style='color:%1'>%2</span>")
                            .arg(theme().muted.name(), describe_layout(canvas()->current_layout()));
  if (!tree || !graph || !selected.valid() || !graph->find(selected))
    return pane_->set_status(drawn);
  const graph::NodeId parent = tree->parent(selected);
  const bool forward = direction_ == graph::Direction::Dominators;
  const QString name = "<b>" + text(graph->node(selected).name).toHtmlEscaped() + "</b>";
  if (!parent.valid())
    return pane_->set_status(
        forward ? tr("No single operator is on every path from the inputs to %1").arg(name)
                : tr("No single operator is on every path from %1 to the outputs").arg(name));
  const QString above = "<b>" + text(graph->node(parent).name).toHtmlEscaped() + "</b>";
  pane_->set_status(
      forward ? tr("Every path from the inputs to %1 passes through %2").arg(name, above)
              : tr("Every path from %1 to the outputs passes through %2").arg(name, above));
}

}  // namespace loopglass::views
