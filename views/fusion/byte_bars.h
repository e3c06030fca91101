// What intermediates move with both ends of an edge apart and in one kernel, as bars of one scale.
#pragma once

#include "core/fusion/saving.h"
#include "views/fusion/card_drawing.h"

#include <vector>

namespace loopglass::views {

class ByteBars : public CardDrawing {
  Q_OBJECT

 public:
  using CardDrawing::CardDrawing;

  void show_traffic(const fusion::EdgeTraffic& traffic, bool fused);

 protected:
  int draw(QPainter* painter, int width) const override;

 private:
  enum class Tint { Apart, Together, Saved };
  struct Bar {
    QString what, whose;
    std::int64_t bytes;
    Tint tint;
  };
  QColor color_of(Tint tint) const;

  std::vector<Bar> bars_;
};

}  // namespace loopglass::views
