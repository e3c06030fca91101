// A content in its layout, painted as a whole and apart from any widget: the items of the canvas on
// paper. What a canvas and a picture arrange alike is here too.
#pragma once

#include "views/canvas/items.h"

#include <memory>

class QPainter;

namespace loopglass::views {

// What a content of boxes of these sizes wants of a layout; one that comes in columns is denser.
layout::LayoutGraph layout_graph(const CanvasContent& content, const std::vector<QSizeF>& sizes,
                                 bool columns);
// The frames of each cluster: one around all members, or one each where they do not stand together.
std::vector<std::vector<QRectF>> cluster_frames(const CanvasContent& content,
                                                const std::vector<QSizeF>& sizes,
                                                const layout::Layout& layout);
// What an edge that is cut calls the node at its other end.
QString end_label(const CanvasNode& node);
// Puts what is written beside boxes clear of what is taken already, and of one another: titles of
// bands and the names at the ends of cut edges, then labels beside the lines of edges, then signs
// and codes, those that somebody asked for first. What has no room is left out; only a sign takes
// that of a label.
void place_words(std::vector<QRectF> taken, const std::vector<BandItem*>& bands,
                 const std::vector<EdgeItem*>& edges);

class CanvasPicture {
 public:
  // `sizes` are those of the boxes that were laid out; the overlay may be empty.
  CanvasPicture(CanvasContent content, std::vector<QSizeF> sizes,
                std::shared_ptr<const layout::Layout> layout, CanvasOverlay overlay);
  ~CanvasPicture();
  CanvasPicture(CanvasPicture&&) noexcept;
  CanvasPicture& operator=(CanvasPicture&&) noexcept;

  const CanvasContent& content() const { return content_; }
  QRectF bounds() const { return bounds_; }
  const EdgeItem& edge(std::uint32_t index) const { return *edges_[index]; }
  // What stands for itself, and what is written beside it: no two of these cover each other.
  struct Area {
    enum class Kind : std::uint8_t { Box, Attachment, ClusterTitle, BandTitle, Word, Mark };
    Kind kind;
    std::uint32_t index;  // of the node, cluster, band or edge
    QRectF area;
  };
  std::vector<Area> areas() const;
  // On any thread, but one at a time; in the theme of the thread. Only what tells colours apart
  // from the content's own (borders, paper, small print) is the theme's. `go_on` is asked between
  // items with the share that has been painted; false ends it early.
  bool paint(QPainter& painter, const std::function<bool(double)>& go_on = {}) const;

 private:
  void make_items(const layout::Layout& layout, const CanvasOverlay& overlay);
  std::vector<Area> standing_areas() const;  // without what finds its place round them
  template <class Item, class... Arguments>
  Item* add(Arguments&&... arguments);

  CanvasContent content_;
  std::vector<QSizeF> sizes_;
  std::vector<std::unique_ptr<QGraphicsItem>> items_;  // from back to front
  std::vector<EdgeItem*> edges_;                       // of these
  std::vector<NodeItem*> nodes_;
  std::vector<BandItem*> bands_;
  std::vector<ClusterTitle*> titles_;
  QRectF bounds_;
};

}  // namespace loopglass::views
