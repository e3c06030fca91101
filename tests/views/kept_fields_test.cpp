// What a person set in fields, and how they parted panes, comes back with the next window.
#include "app/window/panes.h"
#include "tests/views/session_window.h"

#include <QComboBox>
#include <QHeaderView>
#include <QSpinBox>
#include <QSplitter>
#include <QTableView>
#include <QTest>

namespace loopglass::app {
namespace {

class KeptFieldsTest : public WithSessions {
 protected:
  static QSpinBox& trials(SessionWindow& used) {
    return *used.window.findChild<QSpinBox*>("tuningTrials");
  }
  static QComboBox& search(SessionWindow& used) {
    return *used.window.findChild<QComboBox*>("tuningSearch");
  }
  static QSplitter& split(SessionWindow& used) {
    used.window.panes().focus(PaneId::Breakpoints);
    QTest::qWait(50);
    return *used.window.panes().dock(PaneId::Breakpoints)->findChild<QSplitter*>();
  }
};

TEST_F(KeptFieldsTest, ComeBack) {
  QString chosen;
  {
    auto used = window();
    trials(*used).setValue(500);
    search(*used).setCurrentIndex((search(*used).currentIndex() + 1) % search(*used).count());
    chosen = search(*used).currentText();
    used->window.close();
  }
  auto used = window();
  EXPECT_EQ(trials(*used).value(), 500);
  EXPECT_EQ(search(*used).currentText(), chosen);
}

// What is as it was is not written down, and what a field cannot hold is passed over.
TEST_F(KeptFieldsTest, WriteDownWhatIsOtherwise) {
  {
    auto used = window();
    used->window.close();
    EXPECT_FALSE(used->settings.contains("fields/tuningTrials"));
    used->settings.setValue("fields/tuningTrials", -7);
    used->settings.setValue("fields/tuningSearch", "of a version to come");
  }
  auto used = window();
  EXPECT_EQ(trials(*used).value(), 128);
  EXPECT_EQ(search(*used).currentText(), "droplet");
}

TEST_F(KeptFieldsTest, TablesAreSortedAsTheyWere) {
  const auto header = [](SessionWindow& used, const char* table) {
    return used.window.findChild<QTableView*>(table)->horizontalHeader();
  };
  {
    auto used = window();
    header(*used, "verdictTable")->setSortIndicator(1, Qt::AscendingOrder);
    used->window.close();
    EXPECT_FALSE(used->settings.contains("sorting/trialTable"));
    used->settings.setValue("sorting/decisions", QVariantList{99, 0});
  }
  auto used = window();
  EXPECT_EQ(header(*used, "verdictTable")->sortIndicatorSection(), 1);
  EXPECT_EQ(header(*used, "verdictTable")->sortIndicatorOrder(), Qt::AscendingOrder);
  EXPECT_EQ(header(*used, "decisions")->sortIndicatorSection(), 0);
}

TEST_F(KeptFieldsTest, SplitsThatWereMovedComeBack) {
  QList<int> left;
  {
    auto used = window();
    QSplitter& splitter = split(*used);
    ASSERT_EQ(splitter.count(), 2);
    const QPoint handle = splitter.handle(1)->rect().center();
    QTest::mousePress(splitter.handle(1), Qt::LeftButton, {}, handle);
    QTest::mouseMove(splitter.handle(1), handle - QPoint(0, 60));
    QTest::mouseRelease(splitter.handle(1), Qt::LeftButton, {}, handle - QPoint(0, 60));
    left = splitter.sizes();
    used->window.close();
  }
  auto used = window();
  const QList<int> now = split(*used).sizes();
  EXPECT_NEAR(now[0], left[0], 3);
  EXPECT_NEAR(now[1], left[1], 3);
}

}  // namespace
}  // namespace loopglass::app
