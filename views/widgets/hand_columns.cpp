#include "views/widgets/hand_columns.h"

#include <QApplication>
#include <QEvent>
#include <QHeaderView>

#include <algorithm>

namespace loopglass::views {
namespace {

constexpr const char* widths_property = "widthsByHand";

// A hand holds an edge where the button went down on the header: a press elsewhere, on a tab, may
// make a table fit its columns, too.
class Hold : public QObject {
 public:
  explicit Hold(QHeaderView& header) : QObject(&header) {
    header.viewport()->installEventFilter(this);
  }
  bool holds() const { return pressed_ && (QApplication::mouseButtons() & Qt::LeftButton); }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() == QEvent::MouseButtonPress) pressed_ = true;
    if (event->type() == QEvent::MouseButtonRelease) pressed_ = false;
    return QObject::eventFilter(watched, event);
  }

 private:
  bool pressed_ = false;
};

}  // namespace

void watch_columns(QHeaderView& header) {
  const auto* hold = new Hold(header);
  // By the hand that holds the edge; else a table has made room for what it shows.
  QObject::connect(
      &header, &QHeaderView::sectionResized, &header, [&header, hold](int column, int, int width) {
        if (!hold->holds()) return;
        // What the others leave has no width of its own.
        if (header.stretchLastSection() && header.visualIndex(column) == header.count() - 1) return;
        QVariantList widths = hand_widths(header);
        widths[column] = width;
        header.setProperty(widths_property, widths);
      });
}

bool is_by_hand(const QHeaderView& header, int column) {
  const QVariantList widths = header.property(widths_property).toList();
  return column < widths.size() && widths[column].toInt() > 0;
}

QVariantList hand_widths(const QHeaderView& header) {
  QVariantList widths = header.property(widths_property).toList();
  while (widths.size() < header.count()) widths << 0;
  return widths;
}

void set_hand_widths(QHeaderView& header, const QVariantList& widths) {
  const auto count = std::min<qsizetype>(header.count(), widths.size());
  for (int column = 0; column < count; ++column)
    if (const int width = widths[column].toInt(); width > 0) header.resizeSection(column, width);
  header.setProperty(widths_property, widths.mid(0, count));
}

}  // namespace loopglass::views
