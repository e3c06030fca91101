// Round times of a running benchmark, live: a point per round and the median so far as a line.
#pragma once

#include <QWidget>

#include <vector>

namespace loopglass::views {

class RoundChart : public QWidget {
  Q_OBJECT

 public:
  explicit RoundChart(QWidget* parent = nullptr);
  void show_rounds(std::vector<double> milliseconds);
  // All of it, at this size, from the origin.
  void paint(QPainter& painter, const QSizeF& size) const;
  // Where a round that took so long stands in a picture of this size; rounds are counted from 1.
  QPointF place_of(double round, double milliseconds, const QSizeF& size) const;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  struct Scale;
  Scale scale_for(const QSizeF& size) const;
  void paint_axes(QPainter& painter, const Scale& scale) const;
  void paint_legend(QPainter& painter, const Scale& scale) const;

  std::vector<double> rounds_, medians_;  // milliseconds
};

}  // namespace loopglass::views
