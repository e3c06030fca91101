// The buffers that a block touches, each as its elements lie in memory, row by row: what an
// iteration reads and stores, the cache lines that come with it, and those of iterations before.
#pragma once

#include "core/locality/iterations.h"

#include <QWidget>

#include <memory>
#include <vector>

namespace loopglass::views {

class TouchedMemory : public QWidget {
  Q_OBJECT

 public:
  using Shown = std::shared_ptr<const locality::Iterations>;

  explicit TouchedMemory(QWidget* parent = nullptr);

  void show_iterations(Shown iterations);
  void show_step(int step);

  QSize sizeHint() const override { return {320, 200}; }
  QSize minimumSizeHint() const override { return {80, 60}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void paint_buffer(class QPainter& painter, std::uint32_t buffer, const QRectF& room) const;

  Shown iterations_;
  int step_ = 0;
};

}  // namespace loopglass::views
