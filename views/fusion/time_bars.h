// Medians of measured times as bars of one scale, each with the range between its quartiles.
#pragma once

#include "core/runtime/benchmark.h"
#include "views/fusion/card_drawing.h"

#include <vector>

namespace loopglass::views {

class TimeBars : public CardDrawing {
  Q_OBJECT

 public:
  struct Bar {
    QString what, words;  // "before", "12.3 ms (12.1 ms … 12.8 ms)"
    runtime::Statistics time;
  };

  using CardDrawing::CardDrawing;

  void show_times(std::vector<Bar> bars);

 protected:
  int draw(QPainter* painter, int width) const override;

 private:
  std::vector<Bar> bars_;
};

}  // namespace loopglass::views
