// The current row of a list: in view when the list gets its room, unless somebody has scrolled
// away.
#include "views/widgets/keep_in_view.h"

#include "tests/views/waiting.h"

#include <QListWidget>
#include <QScrollBar>

#include <gtest/gtest.h>

namespace loopglass::views {
namespace {

class KeepInView : public testing::Test {
 protected:
  KeepInView() {
    for (int row = 0; row < 100; ++row) list_.addItem(QString::number(row));
    keep_current_in_view(&list_);
  }
  void show(const QSize& size) {
    list_.resize(size);
    list_.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&list_));
    deliver_posted();
  }
  bool is_in_view(int row) {
    return list_.viewport()->rect().contains(list_.visualItemRect(list_.item(row)));
  }

  QListWidget list_;
};

// As in a window that comes up again: the place is known before the pane has its height.
TEST_F(KeepInView, OfAListThatIsShownLater) {
  list_.resize(200, 30);
  list_.setCurrentRow(80);
  show({200, 300});
  EXPECT_TRUE(is_in_view(80));
  list_.resize(200, 90);
  deliver_posted();
  EXPECT_TRUE(is_in_view(80));
}

TEST_F(KeepInView, WhoScrollsAwayStaysThere) {
  show({200, 300});
  list_.setCurrentRow(80);
  list_.verticalScrollBar()->triggerAction(QScrollBar::SliderToMinimum);
  deliver_posted();
  list_.resize(200, 200);
  deliver_posted();
  EXPECT_FALSE(is_in_view(80));
  list_.setCurrentRow(81);
  list_.verticalScrollBar()->setValue(0);
  list_.resize(200, 220);
  deliver_posted();
  EXPECT_TRUE(is_in_view(81)) << "what is chosen anew is kept again";
}

}  // namespace
}  // namespace loopglass::views
