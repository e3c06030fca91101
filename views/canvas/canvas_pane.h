// A graph canvas with what every pane around one needs: an overview in the corner, buttons to zoom,
// the search bar, and a line at the foot for what the pane has to say.
#pragma once

#include "views/canvas/graph_canvas.h"

#include <QWidget>

#include <functional>
#include <optional>

class QLabel;
class QVBoxLayout;

namespace loopglass::views {

class FindBar;
class FlowSplitter;
class Minimap;
class ToolRow;

// What a search found, and what it means or why it means nothing.
struct CanvasMatch {
  std::vector<std::uint32_t> nodes;
  QString words, problem;  // the problem as rich text
};

class CanvasPane : public QWidget {
  Q_OBJECT

 public:
  CanvasPane(JobQueue* jobs, const QString& lane, QWidget* parent = nullptr);

  GraphCanvas* canvas() const { return canvas_; }
  Minimap* map() const { return map_; }
  // Above the canvas; widgets go before the zoom buttons.
  ToolRow* tools() const { return tools_; }
  void set_status(const QString& rich_text);
  // Right of the canvas, or below it where the pane is narrow, while it is shown.
  void stand_beside(QWidget* widget);
  void share_evenly();
  // Between that and the line at the foot, as wide as both. In a low pane neither is shown.
  void stand_below(QWidget* widget);
  // Reads what is searched for; without it, texts that contain it are found. nullopt: the same.
  void set_matcher(std::function<std::optional<CanvasMatch>(const QString& text)> matcher,
                   const QString& hint);
  void find();
  QString search_text() const;

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void search();
  void go(int by);

  GraphCanvas* canvas_;
  Minimap* map_;
  QVBoxLayout* column_;
  QWidget* foot_;  // legend and status
  QVBoxLayout* foot_column_;
  FlowSplitter* split_;
  ToolRow* tools_;
  QLabel *status_, *meaning_;
  FindBar* find_bar_;
  std::function<std::optional<CanvasMatch>(const QString&)> matcher_;
  std::vector<std::uint32_t> found_;
  int current_ = -1;  // place in found_
};

// "laid out by dot in 12 ms"; empty before there is a layout.
QString describe_layout(const layout::Layout* layout);

}  // namespace loopglass::views
