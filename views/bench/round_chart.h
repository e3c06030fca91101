// Round times of a running benchmark, live: a point per round and the median so far as a line.
#pragma once

#include <QtCharts/QChartView>

#include <vector>

QT_BEGIN_NAMESPACE
class QLineSeries;
class QScatterSeries;
class QValueAxis;
QT_END_NAMESPACE

namespace loopglass::views {

class RoundChart : public QChartView {
  Q_OBJECT

 public:
  explicit RoundChart(QWidget* parent = nullptr);
  void show_rounds(const std::vector<double>& milliseconds);
  // All of it, at this size, from the origin.
  void paint(QPainter& painter, const QSizeF& size);

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void drawForeground(QPainter* painter, const QRectF& area) override;

 private:
  void apply_theme();
  void fit(const QSizeF& whole);

  QScatterSeries* rounds_;
  QLineSeries* median_;
  QValueAxis *x_, *y_;
  QString unit_, symbol_;  // of times: "milliseconds", "ms"
  double most_ = 1;        // on the axis, in the unit
};

}  // namespace loopglass::views
