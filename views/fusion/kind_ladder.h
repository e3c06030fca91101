// The pattern kinds in their order, and where both ends of an edge and its path stand among them.
#pragma once

#include "core/fusion/edge_card.h"
#include "views/fusion/card_drawing.h"

#include <vector>

namespace loopglass::views {

class KindLadder : public CardDrawing {
  Q_OBJECT

 public:
  using CardDrawing::CardDrawing;

  void show_kinds(const fusion::CardKinds& kinds, const QString& producer, const QString& consumer);

 protected:
  int draw(QPainter* painter, int width) const override;

 private:
  struct Rung {
    fusion::PatternKind kind;
    QStringList marks;  // who stands there
  };

  std::vector<Rung> rungs_;  // the simplest kind first
};

}  // namespace loopglass::views
