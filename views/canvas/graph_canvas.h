// A canvas that draws a graph and moves about in it: wheel and keys zoom, dragging pans, arrow keys
// walk along the edges, and what survives a change of content keeps its place on the screen. Layout
// runs in the background; layouts seen lately are kept, so stepping back and forth is immediate.
//
// The canvas selects nothing by itself: it says what was clicked and is told what to highlight.
#pragma once

#include "views/canvas/items.h"
#include "views/jobs.h"
#include "views/widgets/pane_keys.h"

#include <QCache>
#include <QGraphicsView>

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace loopglass::views {

class GraphCanvas : public QGraphicsView {
  Q_OBJECT

 public:
  // Layouts run in the lane of this name.
  GraphCanvas(JobQueue* jobs, QString lane, QWidget* parent = nullptr);
  ~GraphCanvas() override;
  const QString& lane() const { return lane_; }

  // Keeps on showing the old content until the new one's layout has arrived. `fresh` content has
  // nothing to do with the old one: the view goes to its beginning.
  void set_content(CanvasContent content, bool fresh);
  // What columns tall drawings come in that are laid out here: such as suit a page of this size,
  // or, where the boxes of the next content are told, the columns that they are in elsewhere.
  struct ColumnsWanted {
    QSize page;  // empty: in one
    std::vector<std::optional<std::size_t>> told;
    bool any() const { return !page.isEmpty() || !told.empty(); }
  };
  void set_columns(ColumnsWanted columns) { columns_ = std::move(columns); }
  // What a new content has to do with the old: nothing; some of the nodes, elsewhere; or it is part
  // of the same drawing, so that the view does not move at all.
  enum class Arrival : std::uint8_t { Fresh, Other, SameDrawing };
  // Content that has been laid out already; `sizes` are those of its boxes. What it shares with the
  // content before is kept as it is, so that a small change is a small amount of work.
  void set_placed(CanvasContent content, std::vector<QSizeF> sizes,
                  std::shared_ptr<const layout::Layout> layout, Arrival arrival);
  // Says that a layout is being made, in the canvas's lane, for set_placed().
  void expect_layout();
  const CanvasContent& content() const { return content_; }
  // Of the content shown; null until the first has been laid out.
  const layout::Layout* current_layout() const { return layout_.get(); }

  void set_highlight(CanvasHighlight highlight);
  const CanvasHighlight& highlight() const { return highlight_; }
  // Laid over the content shown, and to be laid again over the next.
  void set_overlay(CanvasOverlay overlay);
  const CanvasOverlay& overlay() const { return overlay_; }

  // Places of the nodes whose texts contain `text`, marked on the canvas; empty text marks none.
  std::vector<std::uint32_t> mark_found(const QString& text);
  // Marks these and no others.
  void mark_found(const std::vector<std::uint32_t>& nodes);
  // Tool tips made when they are wanted, for contents that have none of their own.
  std::function<QString(quint32)> node_tip, edge_tip;

  void centre_on(std::uint32_t node);
  QRect selected_area() const;              // of the viewport; null: nothing is selected
  void show_if_hidden(std::uint32_t node);  // the same, unless it is in view already
  // All of these, where they fit at this zoom; else the first, unless one is in view.
  void show_together(const std::vector<std::uint32_t>& nodes);
  // The same as centre_on, unless it can be read where it is.
  void show_readably(std::uint32_t node);
  // What was highlighted is no longer among the boxes, as when it is folded: what is highlighted in
  // its place comes to stand where it stood, where that was in view.
  void keep_highlight_in_place();
  void fit();
  // As fit() left it: nobody has moved since. Other contents are shown whole, too, until then.
  bool shows_whole() const { return held_ == Held::Whole; }
  // Another content is not shown whole for that this one is.
  void stay_here();
  // All of it, at most as large as text elsewhere, and at another zoom.
  double zoom_of_whole() const;
  void show_whole_at(double zoom);
  void zoom(double factor);
  // Larger or smaller, as text elsewhere is now, about what is looked at.
  void follow_text_scale(double factor);
  // What is in the middle, in the scene, and at which zoom.
  QPointF middle() const;
  double zoom_now() const { return transform().m11(); }
  void centre_at(QPointF middle);
  void look_at(QPointF middle, double zoom);
  // What came first is shown again, unless somebody has moved since.
  void keep_to_beginning();
  // As look_at, also where there is nothing: another canvas shows something there.
  void follow(QPointF middle, double zoom);
  QPointF place_of_node(std::uint32_t node) const { return node_items_[node]->pos(); }
  QSizeF natural_size() const { return scene_rect_.size(); }
  QSizeF box_size(std::uint32_t node) const { return sizes_[node]; }
  // Where one clicks for it, in the scene.
  QPointF place_of_edge(std::uint32_t edge) const { return edge_items_[edge]->mark_place(); }

  // What a menu is about.
  enum class Thing : std::uint8_t { Node, Edge, Cluster };

 signals:
  void nodeClicked(quint32 node);
  void nodeToggled(quint32 node);    // Ctrl and a click: one more, or one less
  void nodeActivated(quint32 node);  // double click, or return
  void edgeClicked(quint32 edge);
  void clusterClicked(quint32 cluster);
  void backgroundClicked();
  void leaveWanted();  // Escape
  void fitted();       // all of it is shown, as somebody wanted
  // By the right button, or by keys for what is highlighted; `at` is on the screen.
  void menuWanted(GraphCanvas::Thing thing, quint32 index, QPoint at);
  void layoutChanged();  // other content is shown, or current_layout() became null
  void viewChanged();    // zoom or position
  void highlightChanged();
  void overlayChanged();

 protected:
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void scrollContentsBy(int dx, int dy) override;
  void drawForeground(QPainter* painter, const QRectF& rect) override;
  bool viewportEvent(QEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;

 private:
  using LayoutPtr = std::shared_ptr<const layout::Layout>;
  // What keeps its place: a node, and where it is in the viewport and in the scene.
  struct Anchor {
    std::uint64_t key;
    QPointF at, in_scene;
  };
  // What the view keeps to while panes find their sizes round it, until somebody moves.
  enum class Held : std::uint8_t { Nothing, Beginning, Middle, Whole };

  void accept(LayoutPtr layout);
  void update_scene();
  void update_clusters();
  void update_edges(const CanvasContent& before);
  void update_nodes(const CanvasContent& before);
  std::vector<Anchor> anchors() const;
  void restore(const std::vector<Anchor>& anchors);
  void show_beginning();
  void show_whole();
  void keep_whole();
  void find_graph_again();
  bool is_in_view(std::uint32_t node) const;
  std::optional<std::uint32_t> neighbour(std::uint32_t node, CanvasAction way) const;
  void walk(CanvasAction way);
  void click(QGraphicsItem* item, Qt::KeyboardModifiers modifiers);
  void open_menu_by_keys();
  void place_words();
  void update_bands();
  QGraphicsItem* clickable_at(QPoint position) const;

  JobQueue* jobs_;
  QString lane_;
  CanvasContent content_, next_content_;
  std::vector<QSizeF> sizes_, next_sizes_;
  Arrival next_arrival_ = Arrival::Fresh;
  ColumnsWanted columns_;
  bool waiting_ = false, cancelled_ = false;
  bool words_stand_ = true;  // where there is room for them now
  Held held_ = Held::Nothing;
  QPointF middle_held_;
  QSize size_at_beginning_;  // of the view when it last showed the beginning
  QSize size_shown_whole_;   // or all of the drawing
  LayoutPtr layout_;
  QCache<quint64, LayoutPtr> recent_;
  std::vector<NodeItem*> node_items_;
  std::vector<EdgeItem*> edge_items_;
  std::vector<ClusterItem*> cluster_items_;
  std::vector<ClusterTitle*> cluster_titles_;
  std::vector<BandItem*> band_items_;
  CanvasHighlight highlight_;
  std::optional<Anchor> lost_;  // what was highlighted and is not in the content any more
  CanvasOverlay overlay_;
  QString found_text_;
  QRectF scene_rect_;
  QPoint pressed_at_;
  bool activated_ = false;  // by a double click whose button is still down
};

}  // namespace loopglass::views
