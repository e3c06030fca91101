// What the colours and lines on a canvas mean: a strip of its own below it, with a sample and words
// of each kind, one after the other in as many lines as it takes. It covers nothing of the drawing.
#pragma once

#include "views/canvas/content.h"

#include <QWidget>

#include <vector>

namespace loopglass::views {

class OverlayLegend : public QWidget {
 public:
  enum class Sample : std::uint8_t { Line, Band, Swatch };
  struct Row {
    EdgeMark mark;
    QString text;
    Sample sample = Sample::Line;
  };
  explicit OverlayLegend(QWidget* parent = nullptr);

  // Without rows there is no strip.
  void show_rows(const QString& title, std::vector<Row> rows);
  const QString& title() const { return title_; }
  const std::vector<Row>& rows() const { return rows_; }
  // Where the title, and then every row, stands in a strip of this width.
  std::vector<QRect> places(int width) const;

  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fit();
  void paint_sample(QPainter& painter, const Row& row, const QRectF& area) const;

  QString title_;
  std::vector<Row> rows_;
};

}  // namespace loopglass::views
