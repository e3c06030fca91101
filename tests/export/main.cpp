// Pictures need an application object, and no display. The window is dark: what is exported is not.
#include "views/theme.h"

#include <QApplication>

#include <gtest/gtest.h>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  qputenv("QT_QPA_PLATFORM", "offscreen");
  const QApplication application(argc, argv);
  loopglass::views::set_theme(loopglass::views::Tone::Dark);
  return RUN_ALL_TESTS();
}
