// The operator graph at the current position, with the fused groups drawn over it and with what
// differs from the place it is compared with. All steps of a history are parts of one drawing, so
// nothing that is in two of them moves between them.
#pragma once

#include "views/document/document.h"
#include "views/graph/graph_content.h"

#include <QWidget>

#include <deque>

class QToolButton;

namespace loopglass::views {

class CanvasPane;
class FamilyLegend;
struct CanvasMatch;
class GraphCanvas;

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

  void make_tools();
  void fill_compare_menu();
  void fill_mark_menu();
  void refresh_later();
  void refresh();
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
  void open_menu(std::uint32_t box, QPoint at);
  std::optional<CanvasMatch> match(const QString& text) const;
  QString tip_of_box(std::uint32_t box) const;

  Document* document_;
  CanvasPane* pane_;
  QToolButton *groups_, *ghosts_, *compare_, *mark_;
  std::vector<MarkRule> marks_;
  FamilyLegend* legend_;
  BoxCache boxes_;
  GraphContent shown_;  // its canvas content has moved into the canvas
  std::deque<DrawingPtr> drawings_;
  const void *model_shown_ = nullptr, *drawing_shown_ = nullptr, *being_drawn_ = nullptr;
  bool groups_being_drawn_ = false;
  bool refresh_pending_ = false, selecting_ = false;
};

}  // namespace loopglass::views
