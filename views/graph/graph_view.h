// The operator graph at the current position, with the fused groups drawn over it, the plan's
// verdict on every edge, and what differs from the place it is compared with. All steps of a
// history are parts of one drawing, so nothing that is in two of them moves between them.
#pragma once

#include "views/canvas/graph_canvas.h"
#include "views/document/document.h"
#include "views/graph/graph_content.h"
#include "views/graph/plan_overlays.h"

#include <QWidget>

#include <deque>

class QMenu;
class QToolButton;

namespace loopglass::views {

class CanvasPane;
class FamilyLegend;
struct CanvasMatch;
class OverlayLegend;

class GraphView : public QWidget {
  Q_OBJECT

 public:
  explicit GraphView(Document* document, QWidget* parent = nullptr);

  void find();
  void fit();
  GraphCanvas* canvas() const;
  // What the canvas shows now; lags behind the document while a layout is being made.
  const GraphContent& content() const { return shown_; }

 private:
  // One drawing of a whole history.
  struct Drawing {
    std::shared_ptr<const pass::GraphHistory> history;
    std::shared_ptr<const fusion::Plan> plan;  // null: without groups
    std::unordered_map<fusion::GroupId, int> cluster_of_group;
    layout::SteadyDrawing steady;
    std::unordered_map<layout::Key, layout::Point> guests;
  };
  using DrawingPtr = std::shared_ptr<Drawing>;
  // An edge as it is drawn: a tensor on its way to one of its readers.
  struct ChosenEdge {
    graph::ValueId value;
    graph::NodeId consumer;
  };

  void make_tools();
  void fill_compare_menu();
  void fill_mark_menu();
  void refresh_later();
  void refresh();
  std::shared_ptr<const fusion::Plan> plan_drawn() const;  // null: without groups
  GroupsOfGraph groups_drawn() const;
  DrawingPtr known_drawing() const;
  void draw();  // in the background
  void show_part(Drawing& drawing);
  void show_status();
  void show_selection();
  void show_compared();
  CanvasHighlight highlight() const;
  void stay_and(const std::function<void()>& select);
  void select_box(std::uint32_t box);
  void toggle_box(std::uint32_t box);
  void select_edge(std::uint32_t edge);
  void choose_edge(ChosenEdge edge);

  // The overlay (graph_view_overlay.cpp).
  Drawn drawn() const { return {shown_, canvas()->content()}; }
  void show_overlay();
  void show_verdicts();
  void show_compared_plans();
  void show_moment();
  QString verdict_words() const;
  QString tip_of_edge(std::uint32_t edge) const;

  // The menus (graph_view_menu.cpp).
  void open_menu(GraphCanvas::Thing thing, std::uint32_t index, QPoint at);
  void fill_node_menu(QMenu& menu, graph::NodeId id);
  // The graphs that an opaque operator runs: in a menu, and at once where it has one only.
  void add_subgraphs(QMenu& menu, const graph::Node& node);
  void open_box(std::uint32_t box);
  void fill_edge_menu(QMenu& menu, const fusion::Decision& decision);
  void fill_group_menu(QMenu& menu, fusion::GroupId group);
  void add_edges_of(QMenu& menu, graph::NodeId node);
  void add_merges(QMenu& menu, fusion::GroupId group, const std::string& name);
  void add_pin(QMenu& menu, fusion::GroupId group, const std::string& name);
  void add_breakpoints(QMenu& menu, const std::string& name);
  std::optional<CanvasMatch> match(const QString& text) const;
  QString tip_of_box(std::uint32_t box) const;

  Document* document_;
  CanvasPane* pane_;
  QToolButton *groups_, *verdicts_, *ghosts_, *follow_, *compare_, *mark_;
  std::vector<MarkRule> marks_;
  FamilyLegend* legend_;
  OverlayLegend* overlay_legend_;
  BoxCache boxes_;
  GraphContent shown_;                              // its canvas content has moved into the canvas
  std::shared_ptr<const fusion::Plan> plan_shown_;  // whose groups are in it; null: without
  std::deque<DrawingPtr> drawings_;
  std::optional<pass::Position> place_shown_;
  const void *model_shown_ = nullptr, *drawing_shown_ = nullptr, *being_drawn_ = nullptr;
  bool groups_being_drawn_ = false;
  EdgeVerdicts verdicts_of_plan_, verdicts_of_first_, verdicts_of_second_;
  std::optional<ChosenEdge> chosen_edge_;
  std::vector<graph::NodeId> picked_;  // with Ctrl; the first is selected, all are lit
  bool refresh_pending_ = false, selecting_ = false;
};

}  // namespace loopglass::views
