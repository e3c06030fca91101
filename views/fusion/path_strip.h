// The way from the producer of an edge to its post-dominator, operator by operator, with the kinds
// on it.
#pragma once

#include "core/fusion/edge_card.h"
#include "views/fusion/card_drawing.h"

#include <vector>

namespace loopglass::views {

class PathStrip : public CardDrawing {
  Q_OBJECT

 public:
  using CardDrawing::CardDrawing;

  void show_path(const fusion::CardPath& path, const graph::Graph& graph);

 signals:
  void clicked();

 protected:
  int draw(QPainter* painter, int width) const override;
  void mouseReleaseEvent(QMouseEvent* event) override;

 private:
  struct Stop {
    QString name, kind, edge;
  };
  int width_of(const Stop& stop) const;

  std::vector<Stop> stops_;
};

}  // namespace loopglass::views
