// The dominator or post-dominator tree of the graph at the current step, drawn. Selecting a node
// also shows the path to the root: everything that every run passes through before (or after) it.
#pragma once

#include "core/saved_session.h"
#include "views/document/document.h"
#include "views/dominators/dominator_content.h"

#include <QWidget>

#include <functional>
#include <optional>

class QComboBox;

namespace loopglass::views {

class CanvasPane;
class GraphCanvas;

class DominatorView : public QWidget {
  Q_OBJECT

 public:
  explicit DominatorView(Document* document, QWidget* parent = nullptr);

  void find();
  void fit();
  GraphCanvas* canvas() const;
  graph::Direction direction() const { return direction_; }
  void set_direction(graph::Direction direction);

  // Which tree is shown and what of it, or is about to be; and to be shown again.
  SavedDominators saved() const;
  void resume(const SavedDominators& saved);
  // Selects without bringing what is selected into view.
  void stay_and(const std::function<void()>& select);

 signals:
  void directionChanged();

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void make_tools();
  void refresh_later();
  void refresh();
  void show_selection();
  bool take_camera();
  void show_status(graph::NodeId selected);

  Document* document_;
  CanvasPane* pane_;
  QComboBox* choice_;
  graph::Direction direction_ = graph::Direction::Dominators;
  std::optional<Camera> wanted_camera_;  // once there is a drawing
  graph::NodeId brought_;                // into view, when it was selected; not again
  DominatorContent shown_, next_;        // their canvas content has moved into the canvas
  const void* history_shown_ = nullptr;
  bool refresh_pending_ = false, staying_ = false, turned_ = false;
};

}  // namespace loopglass::views
