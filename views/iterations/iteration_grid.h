// Two axes of a block, of what it iterates over or of the loops around it, as a grid that lights up
// in the order in which the nest runs. Where there are other axes, a cell is visited once for each
// of their iterations. Arrows come from the iterations that the one shown has to wait for; where
// there are few, thin ones are those of all before it.
#pragma once

#include "core/locality/carried.h"
#include "core/locality/iterations.h"

#include <QWidget>

#include <memory>
#include <vector>

namespace loopglass::views {

class IterationGrid : public QWidget {
  Q_OBJECT

 public:
  using Shown = std::shared_ptr<const locality::Iterations>;

  explicit IterationGrid(QWidget* parent = nullptr);

  // `down` and `across` are indices of its axes; the same twice, or -1, is a single row.
  void show_iterations(Shown iterations, int down, int across);
  using Arrows = std::shared_ptr<const locality::CarriedDependences>;
  void show_dependences(Arrows dependences);  // of the iterations that are shown
  void show_step(int step);                   // of its steps; clamped
  int step() const { return step_; }

  QSize sizeHint() const override { return {320, 240}; }
  QSize minimumSizeHint() const override { return {80, 60}; }

 signals:
  void stepWanted(int step);  // a click: the next visit of that cell, or its first

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  bool event(QEvent* event) override;

 private:
  struct Cell {
    int row, column;
    friend bool operator==(const Cell&, const Cell&) = default;
  };
  int rows() const;
  int columns() const;
  Cell cell_of(int step) const;
  QRectF area() const;
  std::optional<Cell> cell_at(const QPoint& place) const;
  std::vector<int> visits_of(Cell cell) const;  // steps

  void paint_arrows(QPainter& painter) const;
  QPointF center_of(Cell cell) const;

  Shown iterations_;
  Arrows dependences_;
  int down_ = -1, across_ = -1, step_ = 0;
};

}  // namespace loopglass::views
