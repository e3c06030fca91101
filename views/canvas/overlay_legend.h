// What the lines of an overlay mean: a card in a corner of the canvas, with a line of each kind.
#pragma once

#include "views/canvas/graph_canvas.h"

#include <QWidget>

#include <vector>

namespace loopglass::views {

class OverlayLegend : public QWidget {
 public:
  struct Row {
    EdgeMark mark;
    QString text;
    bool is_band = false;  // a frame instead of a line
  };
  explicit OverlayLegend(GraphCanvas* canvas);

  // Without rows there is no card.
  void show_rows(const QString& title, std::vector<Row> rows);
  const std::vector<Row>& rows() const { return rows_; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void fit();  // into the canvas: what is long is written in several lines
  int height_of(const Row& row, int width) const;

  QString title_;
  std::vector<Row> rows_;
};

}  // namespace loopglass::views
