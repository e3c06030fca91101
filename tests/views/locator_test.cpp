// Ctrl+K: what there is, by its words.
#include "app/window/locator.h"
#include "tests/views/window_fixture.h"

#include <gmock/gmock.h>

#include <QLineEdit>
#include <QListWidget>

namespace loopglass::app {
namespace {

class LocatorTest : public WindowTest {};

TEST_F(LocatorTest, GoesToANodeByItsName) {
  open("lenet");
  const auto& target = document_.history().graph()->nodes().back();
  window_.open_locator();
  auto* field = window_.findChild<Locator*>()->findChild<QLineEdit*>();
  ASSERT_TRUE(field);
  QTest::keyClicks(field, QString::fromStdString(target->name));
  QTest::keyClick(field, Qt::Key_Return);
  EXPECT_FALSE(selection().empty());
  EXPECT_TRUE(selection().highlighted_nodes().contains(target->id));
}

// By the words of its name and of what it is, in any order.
TEST_F(LocatorTest, FindsPanesAndWorkspacesByTheirWords) {
  window_.workspaces().use("explore");
  for (const char* words : {"workspace fusion", "fusion work", "FUSION  workspace "}) {
    window_.workspaces().use("explore");
    window_.open_locator();
    auto* field = window_.findChild<Locator*>()->findChild<QLineEdit*>();
    QTest::keyClicks(field, words);
    QTest::keyClick(field, Qt::Key_Return);
    EXPECT_EQ(window_.workspaces().current(), "fusion") << words;
  }
  window_.open_locator();
  auto* locator = window_.findChild<Locator*>();
  QTest::keyClicks(locator->findChild<QLineEdit*>(), "pane nest");
  const auto first = [&] { return locator->findChild<QListWidget*>()->item(0)->text(); };
  EXPECT_TRUE(first().startsWith("Loop nest"));
  auto* field = locator->findChild<QLineEdit*>();
  field->clear();
  QTest::keyClicks(field, "script");
  EXPECT_TRUE(first().startsWith("Loop nest")) << "by what is in it";
  for (const auto& [words, entry] : {std::pair("quit menu", "Quit"),
                                     {"open", "Open"},
                                     {"preset canon", "@canonical"},
                                     {"fusion strategy dominator", "dominator"}}) {
    field->clear();
    QTest::keyClicks(field, words);
    EXPECT_TRUE(first().startsWith(entry)) << words;
  }
  field->clear();
  QTest::keyClicks(field, "input shapes");
  EXPECT_TRUE(first().contains("not now")) << "nothing is open";
  QTest::keyClick(field, Qt::Key_Return);
  EXPECT_TRUE(locator->isVisible()) << "so it cannot be chosen";
  locator->reject();
}

// A sample begins with the word; a pass has it at its end.
TEST_F(LocatorTest, LeadsWithinWhatIsOpenFirst) {
  open("lenet");
  window_.open_locator();
  auto* locator = window_.findChild<Locator*>();
  QTest::keyClicks(locator->findChild<QLineEdit*>(), "convolution");
  const auto* found = locator->findChild<QListWidget*>();
  EXPECT_THAT(found->item(0)->text().toStdString(), testing::Not(testing::HasSubstr("sample")));
  EXPECT_THAT(found->item(found->count() - 1)->text().toStdString(), testing::HasSubstr("sample"));
  locator->reject();
}

// Menus may have an entry of one name each.
TEST_F(LocatorTest, HasEveryEntryOfAName) {
  open("lenet");
  window_.open_locator();
  auto* locator = window_.findChild<Locator*>();
  QTest::keyClicks(locator->findChild<QLineEdit*>(), "dp");
  const auto* found = locator->findChild<QListWidget*>();
  int strategies = 0;
  for (int row = 0; row < found->count(); ++row)
    strategies += found->item(row)->text().startsWith("dp ");
  EXPECT_EQ(strategies, 2) << "the plan's, and that of the canvas beside";
  locator->reject();
}

}  // namespace
}  // namespace loopglass::app
