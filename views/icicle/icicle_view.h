// Where the network's time goes: an icicle by parts, down to kernels. Before anything has been
// measured it is of arithmetic.
#pragma once

#include "views/document/document.h"
#include "views/icicle/icicle_chart.h"

#include <QWidget>

class QComboBox;
class QLabel;

namespace loopglass::views {

class IcicleView : public QWidget {
  Q_OBJECT

 public:
  explicit IcicleView(Document* document, QWidget* parent = nullptr);
  IcicleChart* chart() const { return chart_; }
  bool shows_blocks() const { return shows_blocks_; }  // that repeat; else parts of names

 signals:
  void shownChanged();

 private:
  void show_network();
  void show_selection();
  void choose(int cell);
  QColor color(const IcicleCell& cell) const;
  std::vector<graph::NodeId> nodes_of(const IcicleCell& cell) const;

  Document* document_;
  QComboBox* by_;
  QLabel* summary_;
  IcicleChart* chart_;
  std::shared_ptr<const graph::Graph> graph_;
  graph::Folding folding_;
  bool shows_blocks_ = false;
};

}  // namespace loopglass::views
