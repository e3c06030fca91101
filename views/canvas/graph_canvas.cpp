#include "views/canvas/graph_canvas.h"

#include "views/theme.h"

#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

namespace loopglass::views {
namespace {

constexpr int layouts_kept = 40;

}  // namespace

GraphCanvas::GraphCanvas(JobQueue* jobs, QString lane, QWidget* parent)
    : QGraphicsView(parent), jobs_(jobs), lane_(std::move(lane)), recent_(layouts_kept) {
  setScene(new QGraphicsScene(this));
  setRenderHint(QPainter::Antialiasing);
  setDragMode(QGraphicsView::ScrollHandDrag);
  setTransformationAnchor(QGraphicsView::AnchorUnderMouse);
  setResizeAnchor(QGraphicsView::AnchorViewCenter);
  setViewportUpdateMode(QGraphicsView::SmartViewportUpdate);
  setOptimizationFlag(QGraphicsView::DontAdjustForAntialiasing);
  setFrameShape(QFrame::NoFrame);
  viewport()->setCursor(Qt::ArrowCursor);
  for (const QScrollBar* bar : {horizontalScrollBar(), verticalScrollBar()})
    connect(bar, &QScrollBar::actionTriggered, this, [this] { held_ = Held::Nothing; });
  // A job that is cancelled calls nobody back; say so instead of waiting for it.
  connect(jobs_, &JobQueue::changed, this, [this] {
    if (!waiting_ || jobs_->busy(lane_)) return;
    waiting_ = false;
    cancelled_ = true;
    viewport()->update();
  });
  const auto recolour = [this] {
    setBackgroundBrush(theme().surface);
    scene()->update();
  };
  connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, recolour);
  recolour();
}

GraphCanvas::~GraphCanvas() = default;

// --- highlighting ---

void GraphCanvas::set_highlight(CanvasHighlight highlight) {
  const auto apply = [this](const CanvasHighlight& which, bool on) {
    const Emphasis related = on ? Emphasis::Related : Emphasis::None;
    for (const std::uint32_t i : which.related) node_items_[i]->set_emphasis(related);
    for (const std::uint32_t i : which.edges) edge_items_[i]->set_emphasis(related);
    for (const std::uint32_t i : which.clusters)
      if (cluster_items_[i]) cluster_items_[i]->set_emphasis(related);
    const Emphasis primary = on ? Emphasis::Primary : Emphasis::None;
    for (const std::uint32_t i : which.chosen) node_items_[i]->set_emphasis(primary);
    if (which.primary) node_items_[*which.primary]->set_emphasis(primary);
    if (which.primary_edge) edge_items_[*which.primary_edge]->set_emphasis(primary);
  };
  apply(highlight_, false);
  highlight_ = std::move(highlight);
  apply(highlight_, true);
  emit highlightChanged();
}

std::vector<std::uint32_t> GraphCanvas::mark_found(const QString& text) {
  found_text_ = text;
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = 0; i < node_items_.size(); ++i) {
    const CanvasNode& node = content_.nodes[i];
    const bool match = !text.isEmpty() && (node.title.contains(text, Qt::CaseInsensitive) ||
                                           node.subtitle.contains(text, Qt::CaseInsensitive) ||
                                           node.search.contains(text, Qt::CaseInsensitive));
    node_items_[i]->set_found(match);
    if (match) found.push_back(i);
  }
  return found;
}

void GraphCanvas::mark_found(const std::vector<std::uint32_t>& nodes) {
  found_text_.clear();
  for (NodeItem* item : node_items_) item->set_found(false);
  for (const std::uint32_t node : nodes) node_items_[node]->set_found(true);
}

// --- pointer and keyboard ---

void GraphCanvas::wheelEvent(QWheelEvent* event) {
  // Trackpads scroll in pixels and pan; wheels zoom about the pointer.
  if (!event->pixelDelta().isNull() && !(event->modifiers() & Qt::ControlModifier)) {
    held_ = Held::Nothing;
    return QGraphicsView::wheelEvent(event);
  }
  zoom(std::pow(1.0015, event->angleDelta().y()));
  event->accept();
}

// --- clicks and keys ---

QGraphicsItem* GraphCanvas::clickable_at(QPoint position) const {
  const auto under = items(QRect(position - QPoint(2, 2), QSize(5, 5)));
  for (const int type : {int{NodeItem::Type}, int{EdgeItem::Type}, int{ClusterItem::Type}})
    for (QGraphicsItem* item : under)
      if (item->type() == type) return item;
  return nullptr;
}

void GraphCanvas::mousePressEvent(QMouseEvent* event) {
  pressed_at_ = event->pos();
  held_ = Held::Nothing;
  QGraphicsView::mousePressEvent(event);
}

void GraphCanvas::mouseReleaseEvent(QMouseEvent* event) {
  QGraphicsView::mouseReleaseEvent(event);
  viewport()->setCursor(Qt::ArrowCursor);
  // Of a double click, which may have changed what is under the pointer.
  if (std::exchange(activated_, false)) return;
  const bool dragged = (event->pos() - pressed_at_).manhattanLength() > 4;
  if (event->button() == Qt::LeftButton && !dragged)
    click(clickable_at(event->pos()), event->modifiers());
}

void GraphCanvas::click(QGraphicsItem* item, Qt::KeyboardModifiers modifiers) {
  const auto* node = qgraphicsitem_cast<NodeItem*>(item);
  if (node && modifiers & Qt::ControlModifier) emit nodeToggled(node->index());
  else if (node) emit nodeClicked(node->index());
  else if (const auto* edge = qgraphicsitem_cast<EdgeItem*>(item)) emit edgeClicked(edge->index());
  else if (const auto* cluster = qgraphicsitem_cast<ClusterItem*>(item))
    emit clusterClicked(cluster->index());
  else emit backgroundClicked();
}

void GraphCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
  if (const auto* node = qgraphicsitem_cast<NodeItem*>(clickable_at(event->pos()))) {
    activated_ = true;
    emit nodeActivated(node->index());
    centre_on(node->index());
  }
}

std::optional<std::uint32_t> GraphCanvas::neighbour(std::uint32_t node, CanvasAction way) const {
  const QPointF here = node_items_[node]->pos();
  std::optional<std::uint32_t> best;
  double least = std::numeric_limits<double>::max();
  const auto consider = [&](std::uint32_t other, double distance) {
    if (distance >= least) return;
    least = distance;
    best = other;
  };
  if (way == CanvasAction::Down || way == CanvasAction::Up) {
    for (const CanvasEdge& edge : content_.edges) {
      const auto [mine, other] =
          way == CanvasAction::Down ? std::pair(edge.from, edge.to) : std::pair(edge.to, edge.from);
      if (mine != node) continue;
      const QPointF offset = node_items_[other]->pos() - here;
      consider(other, std::hypot(offset.x(), offset.y()));
    }
    return best;
  }
  const double side = way == CanvasAction::Right ? 1 : -1;
  for (std::uint32_t other = 0; other < node_items_.size(); ++other) {
    const QPointF offset = node_items_[other]->pos() - here;
    if (offset.x() * side > 1 && std::abs(offset.y()) < 60)
      consider(other, std::hypot(offset.x(), 3 * offset.y()));
  }
  return best;
}

void GraphCanvas::walk(CanvasAction way) {
  if (node_items_.empty()) return;
  held_ = Held::Nothing;
  const std::optional<std::uint32_t> next =
      highlight_.primary ? neighbour(*highlight_.primary, way) : std::optional<std::uint32_t>(0);
  if (!next) return;
  emit nodeClicked(*next);
  show_if_hidden(*next);
}

void GraphCanvas::keyPressEvent(QKeyEvent* event) {
  const auto action = action_of(canvas_keys(), *event);
  // With Alt they are the window's, which may have no use for one just now.
  if (!action && event->modifiers() & Qt::AltModifier) return event->ignore();
  if (!action) return QGraphicsView::keyPressEvent(event);
  switch (static_cast<CanvasAction>(*action)) {
    case CanvasAction::Up:
    case CanvasAction::Down:
    case CanvasAction::Left:
    case CanvasAction::Right: return walk(static_cast<CanvasAction>(*action));
    case CanvasAction::Open:
      if (!highlight_.primary) return;
      emit nodeActivated(*highlight_.primary);
      return centre_on(*highlight_.primary);
    case CanvasAction::ZoomIn: return zoom(1.25);
    case CanvasAction::ZoomOut: return zoom(0.8);
    case CanvasAction::Fit: return fit();
    case CanvasAction::Beginning: return show_beginning();
    case CanvasAction::Leave: emit leaveWanted(); return;
    case CanvasAction::Menu: return open_menu_by_keys();
  }
}

// Tool tips of a large graph cost more to make than to show, so they are made one by one.
bool GraphCanvas::viewportEvent(QEvent* event) {
  if (event->type() != QEvent::ToolTip || !node_tip) return QGraphicsView::viewportEvent(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  QGraphicsItem* item = clickable_at(help->pos());
  QString tip;
  if (const auto* node = qgraphicsitem_cast<NodeItem*>(item)) tip = node_tip(node->index());
  else if (const auto* edge = qgraphicsitem_cast<EdgeItem*>(item); edge && edge_tip)
    tip = edge_tip(edge->index());
  else if (item) tip = item->toolTip();
  QToolTip::showText(help->globalPos(), tip, this);
  return true;
}

void GraphCanvas::contextMenuEvent(QContextMenuEvent* event) {
  if (event->reason() == QContextMenuEvent::Keyboard) return open_menu_by_keys();
  QGraphicsItem* item = clickable_at(event->pos());
  if (const auto* node = qgraphicsitem_cast<NodeItem*>(item))
    emit menuWanted(Thing::Node, node->index(), event->globalPos());
  else if (const auto* edge = qgraphicsitem_cast<EdgeItem*>(item))
    emit menuWanted(Thing::Edge, edge->index(), event->globalPos());
  else if (const auto* cluster = qgraphicsitem_cast<ClusterItem*>(item))
    emit menuWanted(Thing::Cluster, cluster->index(), event->globalPos());
}

// Beside what is highlighted.
void GraphCanvas::open_menu_by_keys() {
  const auto open = [this](Thing thing, std::uint32_t index, QPointF in_scene) {
    const QPoint inside = mapFromScene(in_scene);
    const QRect view = viewport()->rect();
    const QPoint at(std::clamp(inside.x(), view.left(), view.right()),
                    std::clamp(inside.y(), view.top(), view.bottom()));
    emit menuWanted(thing, index, viewport()->mapToGlobal(at));
  };
  if (highlight_.primary_edge)
    return open(Thing::Edge, *highlight_.primary_edge, place_of_edge(*highlight_.primary_edge));
  if (highlight_.primary)
    return open(Thing::Node, *highlight_.primary, node_items_[*highlight_.primary]->pos());
  for (const std::uint32_t cluster : highlight_.clusters)
    if (cluster_items_[cluster])
      return open(Thing::Cluster, cluster, cluster_items_[cluster]->first_frame().topLeft());
  if (!highlight_.edges.empty())
    open(Thing::Edge, highlight_.edges.front(), place_of_edge(highlight_.edges.front()));
}

void GraphCanvas::drawForeground(QPainter* painter, const QRectF&) {
  if (!node_items_.empty()) return;
  painter->resetTransform();
  painter->setPen(theme().muted);
  const QString text =
      waiting_ ? tr("Laying out the graph…")
      : next_content_.nodes.empty() && !cancelled_
          ? QString()
          : tr("The layout was cancelled. Step or reopen to lay the graph out again.");
  painter->drawText(viewport()->rect(), Qt::AlignCenter | Qt::TextWordWrap, text);
}

}  // namespace loopglass::views
