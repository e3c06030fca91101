// Where a canvas looks: moving about, and staying where somebody looked while drawings and sizes
// change.
#include "views/canvas/graph_canvas.h"

#include "views/theme.h"

#include <QScrollBar>

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

}  // namespace

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

// A step that takes an operator away leaves the others where they are; only what has become too
// large for the view is sized anew.
void GraphCanvas::keep_whole() {
  const QRect drawn = mapFromScene(scene_rect_).boundingRect();
  if (next_arrival_ != Arrival::SameDrawing || !viewport()->rect().contains(drawn)) show_whole();
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

void GraphCanvas::stay_here() {
  if (held_ == Held::Whole) held_ = Held::Nothing;
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

}  // namespace loopglass::views
