// Rows of buttons that stay one line: what has no room is in a menu, and can do there what it
// could.
#include "views/widgets/tool_row.h"

#include <QLabel>
#include <QMenu>
#include <QSignalSpy>
#include <QToolButton>

#include <gtest/gtest.h>

namespace loopglass::views {
namespace {

class ToolRowTest : public testing::Test {
 protected:
  QToolButton* add(const QString& text, int worth) {
    auto* button = new QToolButton;
    button->setText(text);
    row_.add(button, worth);
    return button;
  }
  void show(int width) {
    row_.resize(width, row_.sizeHint().height());
    row_.show();
  }
  QList<QAction*> in_menu() const {
    QMenu* menu = row_.more()->menu();
    emit menu->aboutToShow();
    return menu->actions();
  }

  ToolRow row_;
};

TEST_F(ToolRowTest, WhereThereIsRoomAllStandsInTheRow) {
  const QToolButton *first = add("First", 1), *second = add("Second", 2);
  show(row_.sizeHint().width());
  EXPECT_TRUE(first->isVisible() && second->isVisible());
  EXPECT_TRUE(row_.more()->isHidden());
  EXPECT_LT(first->geometry().right(), second->geometry().left());
}

TEST_F(ToolRowTest, WhatIsWorthLeastGoesFirstAndLineAndHeightStay) {
  const QToolButton *kept = add("Kept the longest", 3), *least = add("Goes first", 1),
                    *next = add("Goes next", 2);
  const int all = row_.sizeHint().width();
  show(all);
  const int height = row_.height();
  show(all - 1);
  EXPECT_TRUE(kept->isVisible() && next->isVisible() && least->isHidden());
  show(all - least->sizeHint().width() - next->sizeHint().width() +
       row_.more()->sizeHint().width());
  EXPECT_TRUE(kept->isVisible() && next->isHidden() && least->isHidden());
  EXPECT_EQ(row_.height(), height);
  EXPECT_EQ(row_.sizeHint().height(), height);
  EXPECT_LE(row_.more()->geometry().right(), row_.rect().right());
  show(all);
  EXPECT_TRUE(next->isVisible() && least->isVisible() && row_.more()->isHidden());
}

TEST_F(ToolRowTest, TheMenuDoesWhatTheButtonsDo) {
  add("Kept", ToolRow::always);
  QToolButton* switch_button = add("Ghosts", 1);
  switch_button->setCheckable(true);
  switch_button->setChecked(true);
  QToolButton* sign = add("−", 1);
  sign->setToolTip("Zoom out (-)");
  QToolButton* choice = add("Fold", 1);
  choice->setMenu(new QMenu(choice));
  row_.add(new QLabel("words that just go"), 1);
  QSignalSpy clicks(sign, &QToolButton::clicked);
  show(row_.minimumSizeHint().width());
  const QList<QAction*> actions = in_menu();
  ASSERT_EQ(actions.size(), 3);
  EXPECT_EQ(actions[0]->text(), "Ghosts");
  EXPECT_TRUE(actions[0]->isChecked());
  actions[0]->trigger();
  EXPECT_FALSE(switch_button->isChecked());
  EXPECT_EQ(actions[1]->text(), "Zoom out");
  actions[1]->trigger();
  EXPECT_EQ(clicks.count(), 1);
  EXPECT_EQ(actions[2]->menu(), choice->menu());
}

// The text of a button that is there changes, and with it what has room.
TEST_F(ToolRowTest, FollowsWhatItsButtonsSay) {
  QToolButton *growing = add("Compare", 2), *other = add("Mark what was searched for", 1);
  show(row_.sizeHint().width());
  EXPECT_TRUE(other->isVisible());
  growing->setText("Compared with step 17");
  QCoreApplication::sendPostedEvents();
  EXPECT_TRUE(other->isHidden());
  EXPECT_EQ(growing->width(), growing->sizeHint().width());
}

// Also that of a button that was left out for it.
TEST_F(ToolRowTest, WhatTakesLessRoomComesBack) {
  QToolButton *kept = add("Kept", ToolRow::always), *growing = add("Compare", 2);
  show(row_.sizeHint().width());
  growing->setText("Compared with what was there before step 17");
  QCoreApplication::sendPostedEvents();
  EXPECT_TRUE(kept->isVisible() && growing->isHidden());
  growing->setText("Compare");
  QCoreApplication::sendPostedEvents();
  EXPECT_TRUE(growing->isVisible() && row_.more()->isHidden());
}

}  // namespace
}  // namespace loopglass::views
