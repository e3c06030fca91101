// The dominator or post-dominator tree of the graph at the current step, drawn. Selecting a node
// also shows the path to the root: everything that every run passes through before (or after) it.
#pragma once

#include "views/canvas/content.h"
#include "views/document/document.h"

#include <QWidget>

#include <unordered_map>

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

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void make_tools();
  void refresh_later();
  void refresh();
  void show_selection();
  void show_status(graph::NodeId selected);

  // Boxes of a tree: one for the virtual root, then one per node.
  struct Tree {
    std::vector<graph::NodeId> nodes;  // invalid: the virtual root
    std::unordered_map<graph::NodeId, std::uint32_t> box_of_node;
    std::vector<int> edge_into;  // by box; -1: the root
  };
  CanvasContent content_of(const graph::Graph& graph, const graph::DominatorTree& tree);

  Document* document_;
  CanvasPane* pane_;
  QComboBox* choice_;
  graph::Direction direction_ = graph::Direction::Dominators;
  Tree shown_, next_;
  const void* history_shown_ = nullptr;
  bool refresh_pending_ = false, selecting_ = false, turned_ = false;
};

}  // namespace loopglass::views
