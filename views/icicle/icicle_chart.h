// The cells of an icicle, drawn: the pointer and the keyboard go through them, and into one of
// them.
#pragma once

#include "views/icicle/icicle_cells.h"

#include <QWidget>

#include <functional>
#include <optional>

class QFontMetricsF;

namespace loopglass::views {

class IcicleChart : public QWidget {
  Q_OBJECT

 public:
  explicit IcicleChart(QWidget* parent = nullptr);

  void set_cells(std::vector<IcicleCell> cells, IcicleMeasure measure);
  // Cells outlined as selected elsewhere.
  void set_marked(std::vector<bool> marked);
  const std::vector<IcicleCell>& cells() const { return cells_; }
  // The cell that is as wide as the chart.
  int shown() const { return shown_; }
  void show_inside(int cell);
  QRectF rectangle(int cell) const;
  std::function<QColor(const IcicleCell&)> color_of;

 signals:
  void chosen(int cell);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override;

 private:
  std::optional<int> cell_at(QPointF position) const;
  QString name_in(const IcicleCell& cell, const QFontMetricsF& metrics, double room) const;
  QString value_in(const IcicleCell& cell, const QFontMetricsF& metrics, double room) const;
  QString value_text(const IcicleCell& cell) const;
  static QString share_text(const IcicleCell& cell);
  QString tip(const IcicleCell& cell) const;
  void go_to(int cell);
  bool lies_in(int cell, int around) const;

  std::vector<IcicleCell> cells_;
  std::vector<bool> marked_;
  IcicleMeasure measure_ = IcicleMeasure::Arithmetic;
  int shown_ = 0, current_ = 0, depths_ = 1;
};

}  // namespace loopglass::views
