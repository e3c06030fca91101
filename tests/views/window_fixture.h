// The whole window on the offscreen platform, with a workspace that shows every level.
#pragma once

#include "app/window/main_window.h"
#include "tests/views/opened.h"

#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

#include <gtest/gtest.h>

namespace loopglass::app {

class WindowTest : public testing::Test {
 protected:
  WindowTest()
      : settings_(folder_.filePath("settings.ini"), QSettings::IniFormat),
        document_(passes::toolchain()),
        window_(&document_, &settings_) {
    window_.resize(1600, 1000);
    window_.show();
    window_.workspaces().use("overview");
    EXPECT_TRUE(QTest::qWaitForWindowExposed(&window_));
  }

  void open(const QString& sample) {
    window_.open(sample);
    ASSERT_TRUE(views::settled(document_));
    ASSERT_TRUE(document_.kernels().machine_code()) << "the sample does not compile";
  }

  views::Selection& selection() { return document_.selection(); }

  QTemporaryDir folder_;
  QSettings settings_;
  views::Document document_;
  MainWindow window_;
};

}  // namespace loopglass::app
