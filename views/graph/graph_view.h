// The operator graph at the current step, with the fused groups drawn over it.
#pragma once

#include "views/document/document.h"
#include "views/graph/graph_content.h"

#include <QWidget>

class QToolButton;

namespace loopglass::views {

class CanvasPane;
class FamilyLegend;
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
  void make_tools();
  void refresh_later();
  void refresh();
  void show_content();
  void show_status();
  void show_selection();
  CanvasHighlight highlight() const;
  void stay_and(const std::function<void()>& select);
  void select_box(std::uint32_t box);

  Document* document_;
  CanvasPane* pane_;
  QToolButton* groups_;
  FamilyLegend* legend_;
  GraphContent shown_, next_;  // their canvas contents have moved into the canvas
  const void* history_shown_ = nullptr;
  bool refresh_pending_ = false, selecting_ = false;
};

}  // namespace loopglass::views
