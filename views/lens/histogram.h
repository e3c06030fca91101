// How the elements of a tensor are spread, as bars; those of the same tensor elsewhere as an
// outline.
#pragma once

#include "core/debug/lens.h"

#include <QWidget>

#include <optional>

namespace loopglass::views {

class Histogram : public QWidget {
  Q_OBJECT

 public:
  explicit Histogram(QWidget* parent = nullptr);
  void show_summaries(const debug::Summary& here, const std::optional<debug::Summary>& there);

  QSize sizeHint() const override { return {300, 130}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;  // the tool tip tells the bar under the mouse

 private:
  QRectF plot() const;
  double x_of(double value) const;
  double y_of(std::int64_t count) const;
  QRectF bar(const debug::Summary& summary, std::size_t bin) const;

  debug::Summary here_;
  std::optional<debug::Summary> there_;
  double low_ = 0, high_ = 1;
  std::int64_t most_ = 0;
};

}  // namespace loopglass::views
