// Fusion, with title-bar icons of docks in the theme's colours.
#pragma once

#include <QProxyStyle>

namespace loopglass::views {

class ThemedStyle : public QProxyStyle {
  Q_OBJECT

 public:
  ThemedStyle();
  QIcon standardIcon(StandardPixmap icon, const QStyleOption* option,
                     const QWidget* widget) const override;
};

}  // namespace loopglass::views
