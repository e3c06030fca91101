// Lifetimes of a network's intermediates over the order of execution: a rectangle for each buffer,
// from the kernel that writes it to the one that reads it last, at its place in the arena, in the
// colour of the kernel's family. What is written over its operand continues the operand's rectangle
// half-way through the kernel that does it. Lines mark the arena's end and the lower bound.
//
// Only what the viewport shows is painted. Ctrl and the wheel, or + and -, stretch the time axis;
// the arrow keys go from buffer to buffer.
#pragma once

#include "core/fusion/plan.h"
#include "core/runtime/memory_plan.h"

#include <QAbstractScrollArea>

#include <memory>
#include <optional>
#include <set>

class QPainter;

namespace loopglass::views {

class MemoryChart : public QAbstractScrollArea {
  Q_OBJECT

 public:
  // The plan, and the graph and the groups that it is about; null: nothing to show.
  struct Content {
    std::shared_ptr<const runtime::MemoryPlan> plan;
    std::shared_ptr<const graph::Graph> graph;
    std::shared_ptr<const fusion::Plan> groups;
  };
  // What is selected elsewhere: one buffer, those written by selected kernels, and these kernels.
  struct Marks {
    graph::ValueId value;
    std::set<fusion::GroupId> groups;
  };

  explicit MemoryChart(QWidget* parent = nullptr);
  void set_content(Content content);
  void set_marks(Marks marks);

  double zoom() const { return zoom_; }
  void set_zoom(double zoom);  // 1: all kernels fit
  // In the viewport's coordinates; buffers by their index in the plan.
  QRectF rectangle(std::size_t buffer) const;
  std::optional<std::size_t> buffer_at(const QPointF& position) const;
  // As it is shown, in the theme of the thread.
  void paint(QPainter& painter);
  std::size_t painted_buffers() const { return painted_; }  // by the last paint

 signals:
  void bufferChosen(graph::ValueId value);
  void kernelChosen(fusion::GroupId group);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool viewportEvent(QEvent* event) override;

 private:
  QRectF plot() const;
  double column_width() const;
  double x_of(double kernel) const;
  double y_of(double bytes) const;
  std::optional<int> kernel_at(double x) const;
  QString describe(std::size_t buffer) const;
  QString name_of(graph::ValueId value) const;
  void paint_grid(QPainter& painter) const;
  void paint_columns(QPainter& painter) const;
  void paint_buffers(QPainter& painter);
  void paint_shared(QPainter& painter, std::size_t buffer) const;
  // The values that lie in a buffer beside the one it is named after.
  std::vector<const placement::SharedValue*> shared_in(std::size_t buffer) const;
  void paint_lines(QPainter& painter) const;
  void update_scroll_bar();
  void step(int by);
  void step_across(int by);
  void choose(std::size_t buffer);
  void reveal(std::size_t buffer);
  std::optional<std::size_t> marked_buffer() const;

  Content content_;
  Marks marks_;
  std::vector<bool> written_over_;
  double zoom_ = 1;
  std::size_t painted_ = 0;
};

}  // namespace loopglass::views
