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

constexpr double least_zoom = 0.02, greatest_zoom = 4;
constexpr int margin = 40;
constexpr double readable = 0.5;  // the least zoom at which names can be read
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

// --- moving about ---

std::vector<GraphCanvas::Anchor> GraphCanvas::anchors() const {
  std::vector<Anchor> anchors;
  if (node_items_.empty()) return anchors;
  const auto add = [&](std::uint32_t node) {
    const QPointF in_scene = node_items_[node]->pos();
    anchors.push_back({content_.nodes[node].key, mapFromScene(in_scene), in_scene});
  };
  const QRect view = viewport()->rect();
  if (highlight_.primary && view.contains(mapFromScene(node_items_[*highlight_.primary]->pos())))
    add(*highlight_.primary);
  // Then those nearest to the middle, as far as they go.
  std::vector<std::pair<double, std::uint32_t>> by_distance;
  const QPointF centre = mapToScene(view.center());
  for (std::uint32_t i = 0; i < node_items_.size(); ++i) {
    const QPointF offset = node_items_[i]->pos() - centre;
    by_distance.emplace_back(std::hypot(offset.x(), offset.y()), i);
  }
  const std::size_t kept = std::min<std::size_t>(50, by_distance.size());
  std::partial_sort(by_distance.begin(), by_distance.begin() + static_cast<std::ptrdiff_t>(kept),
                    by_distance.end());
  for (std::size_t i = 0; i < kept; ++i) add(by_distance[i].second);
  return anchors;
}

void GraphCanvas::restore(const std::vector<Anchor>& anchors) {
  std::unordered_map<std::uint64_t, std::uint32_t> by_key;
  for (std::uint32_t i = 0; i < content_.nodes.size(); ++i) by_key[content_.nodes[i].key] = i;
  for (const Anchor& anchor : anchors) {
    const auto survivor = by_key.find(anchor.key);
    if (survivor == by_key.end()) continue;
    const QPointF in_scene = node_items_[survivor->second]->pos();
    if (held_ == Held::Middle) {
      middle_held_ += in_scene - anchor.in_scene;
      return centerOn(middle_held_);
    }
    const QPointF now = mapFromScene(in_scene);
    const QPoint shift = (now - anchor.at).toPoint();
    horizontalScrollBar()->setValue(horizontalScrollBar()->value() + shift.x());
    verticalScrollBar()->setValue(verticalScrollBar()->value() + shift.y());
    return;
  }
  show_beginning();
}

void GraphCanvas::keep_highlight_in_place() {
  const std::optional<Anchor> lost = std::exchange(lost_, {});
  const auto& related = highlight_.related;
  if (!lost || (!highlight_.primary && related.empty())) return;
  const std::uint32_t heir =
      highlight_.primary ? *highlight_.primary : *std::ranges::min_element(related);
  const QPointF to_middle =
      mapToScene(viewport()->rect().center()) - mapToScene(lost->at.toPoint());
  centre_at(node_items_[heir]->pos() + to_middle);
  emit viewChanged();
}

// All of it where it is small enough to read; otherwise its beginning, at a size that can be read.
void GraphCanvas::show_beginning() {
  size_at_beginning_ = size();
  if (scene_rect_.isEmpty()) return;
  const QSizeF room = QSizeF(viewport()->size()) - QSizeF(2 * margin, 2 * margin);
  const double whole =
      std::min(room.width() / scene_rect_.width(), room.height() / scene_rect_.height());
  const double wide = room.width() / scene_rect_.width();
  const double least = 0.6 * text_scale(), natural = text_scale();
  const double scale = whole >= least ? std::min(whole, natural) : std::clamp(wide, least, natural);
  setTransform(QTransform::fromScale(scale, scale));
  if (whole >= least) {
    centerOn(scene_rect_.center());
  } else {
    const auto first =
        std::min_element(node_items_.begin(), node_items_.end(),
                         [](auto* a, auto* b) { return a->pos().y() < b->pos().y(); });
    // Left of the drawing lies nothing but what a step may leave there of what it removes.
    constexpr double for_what_is_gone = 160;
    const double across = viewport()->width() / scale / 2, down = viewport()->height() / scale / 2;
    const double around = margin / scale;
    const double least_x = scene_rect_.left() + across - for_what_is_gone;
    const double most_x = std::max(least_x, scene_rect_.right() - across + around);
    const double x =
        wide >= scale ? scene_rect_.center().x() : std::clamp((*first)->pos().x(), least_x, most_x);
    centerOn(x, scene_rect_.top() + down - around);
  }
  held_ = Held::Beginning;
}

void GraphCanvas::keep_to_beginning() {
  if (held_ == Held::Beginning) show_beginning();
}

// Nobody wants to look at an empty place beside the graph.
void GraphCanvas::find_graph_again() {
  if (node_items_.empty()) return;
  const QRectF visible = mapToScene(viewport()->rect()).boundingRect();
  if (std::none_of(node_items_.begin(), node_items_.end(), [&](const NodeItem* item) {
        return visible.intersects(item->sceneBoundingRect());
      }))
    show_beginning();
}

bool GraphCanvas::is_in_view(std::uint32_t node) const {
  return viewport()->rect().contains(
      mapFromScene(node_items_[node]->sceneBoundingRect()).boundingRect());
}

void GraphCanvas::resizeEvent(QResizeEvent* event) {
  const bool primary_seen =
      highlight_.primary &&
      QRect({}, event->oldSize())
          .intersects(
              mapFromScene(node_items_[*highlight_.primary]->sceneBoundingRect()).boundingRect());
  QGraphicsView::resizeEvent(event);
  // Panes get their size after their content; until someone moves, the beginning stays in view. Not
  // when only a scroll bar came or went: showing the beginning may make it go or come again, for
  // ever.
  if (held_ == Held::Beginning && size() != size_at_beginning_) show_beginning();
  if (held_ == Held::Middle) centerOn(middle_held_);
  if (held_ == Held::Whole && size() != size_shown_whole_) show_whole();
  // What is selected and was seen stays in view, whole.
  if (primary_seen && !is_in_view(*highlight_.primary))
    ensureVisible(node_items_[*highlight_.primary], margin, margin);
  else if (held_ != Held::Beginning) find_graph_again();
  emit viewChanged();
}

void GraphCanvas::scrollContentsBy(int dx, int dy) {
  QGraphicsView::scrollContentsBy(dx, dy);
  emit viewChanged();
}

void GraphCanvas::centre_on(std::uint32_t node) {
  if (node >= node_items_.size()) return;
  held_ = Held::Nothing;
  const double near = 0.8 * text_scale();
  if (transform().m11() < readable) setTransform(QTransform::fromScale(near, near));
  centerOn(node_items_[node]);
  emit viewChanged();
}

QRect GraphCanvas::selected_area() const {
  return highlight_.primary
             ? mapFromScene(node_items_[*highlight_.primary]->sceneBoundingRect()).boundingRect()
             : QRect();
}

void GraphCanvas::show_if_hidden(std::uint32_t node) {
  if (node < node_items_.size() && !is_in_view(node)) centre_on(node);
}

void GraphCanvas::show_together(const std::vector<std::uint32_t>& nodes) {
  const auto seen = [this](std::uint32_t node) { return is_in_view(node); };
  if (std::all_of(nodes.begin(), nodes.end(), seen)) return;
  QRectF all;
  for (const std::uint32_t node : nodes) all |= node_items_[node]->sceneBoundingRect();
  const QRectF room =
      mapToScene(viewport()->rect().marginsRemoved({margin, margin, margin, margin}))
          .boundingRect();
  if (all.width() <= room.width() && all.height() <= room.height()) {
    held_ = Held::Nothing;
    centerOn(all.center());
    emit viewChanged();
  } else if (std::none_of(nodes.begin(), nodes.end(), seen)) {
    centre_on(nodes.front());
  }
}

void GraphCanvas::show_readably(std::uint32_t node) {
  if (node < node_items_.size() && (transform().m11() < readable || !is_in_view(node)))
    centre_on(node);
}

void GraphCanvas::fit() {
  if (scene_rect_.isEmpty()) return;
  held_ = Held::Whole;
  show_whole();
  emit viewChanged();
  emit fitted();
}

void GraphCanvas::show_whole() {
  size_shown_whole_ = size();
  show_whole_at(zoom_of_whole());
}

double GraphCanvas::zoom_of_whole() const {
  const QRectF whole = scene_rect_.adjusted(-margin, -margin, margin, margin);
  if (whole.isEmpty()) return text_scale();
  constexpr int edge = 4;  // pixels that scroll bars would come for
  const QSizeF room = viewport()->size() - QSize(edge, edge);
  return std::min({room.width() / whole.width(), room.height() / whole.height(), text_scale()});
}

void GraphCanvas::show_whole_at(double zoom) {
  setTransform(QTransform::fromScale(zoom, zoom));
  centerOn(scene_rect_.center());
}

void GraphCanvas::zoom(double factor) {
  held_ = Held::Nothing;
  const double now = transform().m11();
  const double wanted = std::clamp(now * factor, least_zoom, greatest_zoom);
  scale(wanted / now, wanted / now);
  emit viewChanged();
}

void GraphCanvas::follow_text_scale(double factor) {
  if (held_ == Held::Whole || node_items_.empty()) return;
  if (held_ == Held::Beginning) {
    show_beginning();
    emit viewChanged();
    return;
  }
  const QPointF before = middle();
  const bool stays = highlight_.primary && is_in_view(*highlight_.primary);
  const QPointF about = stays ? node_items_[*highlight_.primary]->pos() : before;
  look_at(about + (before - about) / factor, zoom_now() * factor);
}

QPointF GraphCanvas::middle() const {
  if (held_ == Held::Middle) return middle_held_;  // the view lies on whole pixels, and would creep
  return mapToScene(viewport()->rect()).boundingRect().center();
}

void GraphCanvas::centre_at(QPointF middle) {
  held_ = Held::Middle;
  middle_held_ = middle;
  centerOn(middle);
}

void GraphCanvas::look_at(QPointF middle, double zoom) {
  follow(middle, zoom);
  find_graph_again();
  emit viewChanged();
}

void GraphCanvas::follow(QPointF middle, double zoom) {
  const double wanted = std::clamp(zoom, least_zoom, greatest_zoom);
  if (wanted != zoom_now()) setTransform(QTransform::fromScale(wanted, wanted));
  centre_at(middle);
  emit viewChanged();
}

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
