// Tests of the window need an application object, and no display.
#include "app/window/environment.h"
#include "views/theme.h"

#include <QApplication>

#include <gtest/gtest.h>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  qputenv("QT_QPA_PLATFORM", "offscreen");
  loopglass::app::prepare_environment();
  QApplication application(argc, argv);
  loopglass::views::set_theme(loopglass::views::Tone::Dark);
  return RUN_ALL_TESTS();
}
