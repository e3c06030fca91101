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
  struct Shown {
    bool blocks = false;  // that repeat; else parts of names
    bool times = false;   // else arithmetic
    friend bool operator==(const Shown&, const Shown&) = default;
  };
  const Shown& shown() const { return shown_; }

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
  Shown shown_;
};

}  // namespace loopglass::views
