#include "app/window/elided_label.h"

#include <QHelpEvent>
#include <QToolTip>

#include <algorithm>

namespace loopglass::app {
namespace {

constexpr int least_letters = 6;
constexpr int telling_letters = 16;  // of a part that is not shown whole
const QString between_parts = QStringLiteral("   ·   ");

}  // namespace

ElidedLabel::ElidedLabel(int widest, QWidget* parent) : QLabel(parent), widest_(widest) {
  setTextFormat(Qt::PlainText);
}

void ElidedLabel::set_parts(const QStringList& parts, Qt::TextElideMode mode) {
  if (parts == parts_ && mode == mode_) return;
  parts_ = parts;
  mode_ = mode;
  full_ = parts.join(between_parts);
  updateGeometry();
  fit();
}

void ElidedLabel::fit() {
  const int room = contentsRect().width() - 2 * margin();
  QStringList shown = parts_;
  QString line = full_;
  while (shown.size() > 1 && fontMetrics().horizontalAdvance(line) > room) {
    const QString last = shown.takeLast(), before = shown.join(between_parts) + between_parts;
    const int left = room - fontMetrics().horizontalAdvance(before);
    const bool is_worth_it = left >= telling_letters * fontMetrics().averageCharWidth();
    line = before + (is_worth_it ? fontMetrics().elidedText(last, Qt::ElideRight, left) : "…");
  }
  setText(fontMetrics().elidedText(line, mode_, room));
}

QSize ElidedLabel::sizeHint() const {
  const QMargins around = contentsMargins() + margin();
  const int width = fontMetrics().horizontalAdvance(full_) + 1;
  return QSize(widest_ > 0 ? std::min(width, widest_) : width, fontMetrics().height())
      .grownBy(around);
}

QSize ElidedLabel::minimumSizeHint() const {
  return {std::min(sizeHint().width(), least_letters * fontMetrics().averageCharWidth()),
          sizeHint().height()};
}

void ElidedLabel::resizeEvent(QResizeEvent* event) {
  QLabel::resizeEvent(event);
  fit();
}

bool ElidedLabel::event(QEvent* event) {
  if (event->type() == QEvent::FontChange || event->type() == QEvent::ContentsRectChange) fit();
  if (event->type() != QEvent::ToolTip || !toolTip().isEmpty() || !is_cut())
    return QLabel::event(event);
  QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(),
                     "<p>" + full_.toHtmlEscaped() + "</p>", this);
  return true;
}

}  // namespace loopglass::app
