// Fusion, with title-bar icons of docks in the theme's colours, and boxes that say where a text of
// theirs is cut.
#pragma once

#include <QProxyStyle>

namespace loopglass::views {

class ThemedStyle : public QProxyStyle {
  Q_OBJECT

 public:
  ThemedStyle();
  QIcon standardIcon(StandardPixmap icon, const QStyleOption* option,
                     const QWidget* widget) const override;
  void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override;
  void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                   const QWidget* widget) const override;
};

}  // namespace loopglass::views
