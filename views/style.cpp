#include "views/style.h"

#include "views/theme.h"

#include <QPainter>
#include <QStyleOptionComboBox>

namespace loopglass::views {
namespace {

// `draw` paints on a square of 16 units with the pen already set.
template <class Draw>
QIcon line_icon(const Draw& draw) {
  constexpr int units = 16, scale = 4;
  QPixmap pixmap(units * scale, units * scale);
  pixmap.fill(Qt::transparent);
  QPainter painter(&pixmap);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.scale(scale, scale);
  painter.setPen(QPen(theme().muted, 1.4, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  draw(painter);
  return QIcon(pixmap);
}

}  // namespace

ThemedStyle::ThemedStyle() : QProxyStyle("Fusion") {}

QIcon ThemedStyle::standardIcon(StandardPixmap icon, const QStyleOption* option,
                                const QWidget* widget) const {
  switch (icon) {
    case SP_TitleBarCloseButton:
      return line_icon([](QPainter& painter) {
        painter.drawLine(QPointF(4.5, 4.5), QPointF(11.5, 11.5));
        painter.drawLine(QPointF(4.5, 11.5), QPointF(11.5, 4.5));
      });
    case SP_TitleBarNormalButton:  // out of the window and back
      return line_icon([](QPainter& painter) {
        painter.drawRect(QRectF(6, 3.5, 6.5, 6.5));
        painter.drawPolyline(QPolygonF({{6, 6}, {3.5, 6}, {3.5, 12.5}, {10, 12.5}, {10, 10}}));
      });
    default: return QProxyStyle::standardIcon(icon, option, widget);
  }
}

// Up where the least stands first, as tables elsewhere have it; Qt points down there.
void ThemedStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option,
                                QPainter* painter, const QWidget* widget) const {
  const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option);
  if (element != PE_IndicatorHeaderArrow || !header)
    return QProxyStyle::drawPrimitive(element, option, painter, widget);
  QStyleOptionHeader turned = *header;
  if (header->sortIndicator == QStyleOptionHeader::SortUp)
    turned.sortIndicator = QStyleOptionHeader::SortDown;
  else if (header->sortIndicator == QStyleOptionHeader::SortDown)
    turned.sortIndicator = QStyleOptionHeader::SortUp;
  QProxyStyle::drawPrimitive(element, &turned, painter, widget);
}

void ThemedStyle::drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                              const QWidget* widget) const {
  const auto* box = qstyleoption_cast<const QStyleOptionComboBox*>(option);
  if (element != CE_ComboBoxLabel || !box)
    return QProxyStyle::drawControl(element, option, painter, widget);
  QStyleOptionComboBox cut = *box;
  constexpr int beside = 2;  // that Fusion leaves free on both sides
  const QRect room = subControlRect(CC_ComboBox, box, SC_ComboBoxEditField, widget);
  // Names of one kind differ at their ends.
  const Qt::TextElideMode where = box->currentText.contains(' ') ? Qt::ElideRight : Qt::ElideMiddle;
  cut.currentText = box->fontMetrics.elidedText(box->currentText, where, room.width() - 2 * beside);
  QProxyStyle::drawControl(element, &cut, painter, widget);
}

}  // namespace loopglass::views
