// Settings that cannot be used are put aside, and the window says so.
#include "app/window/settings_file.h"

#include <QFile>
#include <QTemporaryDir>

#include <gtest/gtest.h>

namespace loopglass::app {
namespace {

class SettingsFileTest : public testing::Test {
 protected:
  void write(const QByteArray& bytes) const {
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(bytes);
  }
  QTemporaryDir folder;
  QString path = folder.filePath("loopglass.conf");
};

TEST_F(SettingsFileTest, WhatWasKeptIsThereAtTheNextStart) {
  {
    const SettingsFile first = open_settings(path);
    EXPECT_FALSE(first.note);
    first.settings->setValue("workspace", "passes");
  }
  const SettingsFile second = open_settings(path);
  EXPECT_FALSE(second.note);
  EXPECT_EQ(second.settings->value("workspace"), "passes");
  EXPECT_FALSE(QFile::exists(path + ".aside"));
}

TEST_F(SettingsFileTest, WhatIsNoneOfSettingsIsPutAsideEachTime) {
  for (const QString& kept : {path + ".aside", path + ".aside-2"}) {
    write("\x7f\x45LF nothing of the kind\n\x01\x02\x03");
    {
      const SettingsFile file = open_settings(path);
      ASSERT_TRUE(file.note);
      EXPECT_EQ(file.note->code, Code::SettingsUnusable);
      EXPECT_TRUE(file.note->hint.contains(kept.toStdString()));
      file.settings->setValue("workspace", "passes");
    }
    EXPECT_TRUE(QFile::exists(kept));
    EXPECT_EQ(open_settings(path).settings->value("workspace"), "passes");
  }
}

TEST_F(SettingsFileTest, OfAnotherVersionRecentFilesStayAndLayoutsGo) {
  write(
      "[General]\nversion=1\nrecentFiles=/a.onnx, "
      "/b.onnx\ntheme=light\nworkspace=passes\n[workspaces]\npasses=old\n");
  const SettingsFile file = open_settings(path);
  ASSERT_TRUE(file.note);
  EXPECT_EQ(file.settings->value("recentFiles").toStringList(),
            (QStringList{"/a.onnx", "/b.onnx"}));
  EXPECT_EQ(file.settings->value("theme"), "light");
  EXPECT_FALSE(file.settings->contains("workspaces/passes"));
  EXPECT_FALSE(file.settings->contains("workspace"));
  EXPECT_TRUE(QFile::exists(path + ".aside"));
  file.settings->sync();
  EXPECT_FALSE(open_settings(path).note) << "said once";
}

}  // namespace
}  // namespace loopglass::app
