#include "views/roofline/roofline_chart.h"

#include "core/support/readable_flops.h"
#include "core/support/readable_time.h"
#include "views/text.h"
#include "views/theme.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>

namespace loopglass::views {

RooflineChart::RooflineChart(QWidget* parent) : QWidget(parent) {
  setObjectName("rooflineChart");
  setMinimumSize(260, 90);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Roofline"));
  connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, [this] { update(); });
}

void RooflineChart::show_picture(RooflinePicture picture) {
  picture_ = std::move(picture);
  update();
}

void RooflineChart::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  if (picture_.roofs.levels.empty()) {
    painter.fillRect(rect(), theme().surface);
    painter.setPen(theme().muted);
    painter.drawText(rect().adjusted(12, 12, -12, -12), Qt::AlignCenter | Qt::TextWordWrap,
                     tr("Every kernel a dot under the roofs of this machine, in the colour of what "
                        "binds it, as large as its time."));
    return;
  }
  paint_roofline(painter, QRectF(rect()), picture_);
  if (hasFocus()) {
    painter.setPen(QPen(theme().accent, 1));
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
  }
}

int RooflineChart::kernel_under(const QPointF& position) const {
  return kernel_at(picture_, QRectF(rect()), position);
}

void RooflineChart::mousePressEvent(QMouseEvent* event) {
  if (const int kernel = kernel_under(event->position()); kernel >= 0) emit kernelChosen(kernel);
}

// From dot to dot, along the axis of bytes.
void RooflineChart::keyPressEvent(QKeyEvent* event) {
  const int step = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
  if (step == 0 || picture_.kernels.empty()) return QWidget::keyPressEvent(event);
  std::vector<int> order;
  for (int k = 0; k < std::ssize(picture_.kernels); ++k) order.push_back(k);
  std::ranges::stable_sort(order, {}, [&](int k) {
    const RooflinePlace place =
        place_of(picture_.kernels[static_cast<std::size_t>(k)].verdict, picture_.level);
    return std::pair(place.flops_per_byte, place.gflops);
  });
  const auto at = std::ranges::find(order, picture_.selected);
  const auto place = at == order.end() ? (step > 0 ? -1 : std::ssize(order)) : at - order.begin();
  const auto next = std::clamp<std::ptrdiff_t>(place + step, 0, std::ssize(order) - 1);
  emit kernelChosen(order[static_cast<std::size_t>(next)]);
}

bool RooflineChart::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const int k = kernel_under(QPointF(help->pos()));
  if (k < 0) {
    QToolTip::hideText();
    return true;
  }
  const KernelVerdict& kernel = picture_.kernels[static_cast<std::size_t>(k)];
  QToolTip::showText(
      help->globalPos(),
      QString("%1: %2, %3\n%4: %5")
          .arg(text(kernel.kernel), text(readable_time(Milliseconds(kernel.milliseconds()))),
               text(readable_speed(kernel.verdict.gflops())),
               text(roofline::name(kernel.verdict.bound)), text(kernel.sentence())),
      this);
  return true;
}

}  // namespace loopglass::views
