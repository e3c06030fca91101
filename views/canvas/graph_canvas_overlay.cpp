// What is laid over the content: marks of edges, roles of nodes, tones of clusters, and bands.
// Items stay; only what differs from the overlay before is painted again.
#include "core/support/check.h"
#include "views/canvas/canvas_picture.h"
#include "views/canvas/graph_canvas.h"

#include <utility>

namespace loopglass::views {

void GraphCanvas::set_overlay(CanvasOverlay overlay) {
  CHECK(overlay.edges.empty() || overlay.edges.size() == edge_items_.size(), "one mark an edge");
  CHECK(overlay.clusters.empty() || overlay.clusters.size() == cluster_items_.size(),
        "one tone a cluster");
  overlay_ = std::move(overlay);
  static const EdgeMark plain;
  for (std::size_t i = 0; i < edge_items_.size(); ++i) {
    const EdgeMark& mark = overlay_.edges.empty() ? plain : overlay_.edges[i];
    words_stand_ &= mark == edge_items_[i]->mark();
    edge_items_[i]->set_mark(mark);
  }
  for (std::uint32_t i = 0; i < node_items_.size(); ++i) {
    const auto role = overlay_.roles.find(i);
    const auto heat = overlay_.heats.find(i);
    // Tags of boxes take what was free before, or leave it.
    words_stand_ &=
        !node_items_[i]->set_role(role == overlay_.roles.end() ? nullptr : &role->second);
    words_stand_ &=
        !node_items_[i]->set_heat(heat == overlay_.heats.end() ? nullptr : &heat->second);
  }
  for (std::size_t i = 0; i < cluster_items_.size(); ++i)
    if (cluster_items_[i])
      cluster_items_[i]->set_tone(overlay_.clusters.empty() ? QColor() : overlay_.clusters[i]);
  for (ClusterTitle* title : cluster_titles_) title->update();
  words_stand_ &= band_items_.empty() && overlay_.bands.empty();
  update_bands();
  place_words();
  // Most edges have changed: one repaint of all, which leaves nothing of the codes that were there.
  viewport()->update();
  emit overlayChanged();
}

void GraphCanvas::place_words() {
  if (std::exchange(words_stand_, true)) return;
  std::vector<QRectF> taken;
  for (const NodeItem* item : node_items_)
    for (const QRectF& area : item->areas()) taken.push_back(area);
  for (const ClusterTitle* title : cluster_titles_) taken.push_back(title->boundingRect());
  views::place_words(std::move(taken), band_items_, edge_items_);
}

// Bands are few, and tell by their nodes what they are about: they are made anew.
void GraphCanvas::update_bands() {
  for (BandItem* item : band_items_) delete item;
  band_items_.clear();
  for (const CanvasBand& band : overlay_.bands) {
    const auto box_of = [this](std::uint32_t node) {
      return node_items_[node]->box().translated(node_items_[node]->pos());
    };
    std::vector<QRectF> boxes;
    std::vector<QPainterPath> edges;
    for (const std::uint32_t node : band.nodes) boxes.push_back(box_of(node));
    for (const std::uint32_t edge : band.edges) {
      const CanvasEdge& ends = content_.edges[edge];
      QPainterPath line = edge_items_[edge]->line();
      if (runs_between(line, box_of(ends.from), box_of(ends.to))) edges.push_back(std::move(line));
    }
    band_items_.push_back(new BandItem(band, boxes, edges));
    scene()->addItem(band_items_.back());
  }
}

}  // namespace loopglass::views
