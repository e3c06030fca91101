// A partition by hand in the fusion pane: the list of what is asked, the menus, what if.
#include "tests/views/fusion_fixture.h"
#include "views/fusion/hand_list.h"
#include "views/fusion/hand_menu.h"
#include "views/fusion/hand_pane.h"
#include "views/fusion/plan_trials.h"
#include "views/widgets/command_bar.h"

#include <QAction>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeWidget>

#include <algorithm>

#include <gtest/gtest.h>

namespace loopglass::views {
namespace {

class ByHandTest : public FusionViewTest {
 protected:
  ByHandTest() { view_.tabs()->setCurrentIndex(FusionView::ByHand); }
  HandList& list() { return *view_.findChild<HandList*>(); }
  QTreeWidget& rows() { return *view_.findChild<QTreeWidget*>("constraints"); }
  std::string name(graph::NodeId id) { return document().history().last_graph()->node(id).name; }
  const fusion::Decision& fused_edge() {
    return *std::ranges::find_if(document().fusion().plan()->decisions,
                                 [](auto& d) { return d.fused; });
  }
  void type(const std::string& edit) {
    auto* line = view_.findChild<QLineEdit*>("handEdit");
    line->setText(QString::fromStdString(edit));
    emit line->returnPressed();
    ASSERT_TRUE(settled(document()));
  }
};

TEST_F(ByHandTest, WhatNoPlanCanBeMadeOfComesBackToBeMended) {
  const std::string wrong = "merge \"" + name(fused_edge().consumer) + "\", nobody";
  type(wrong);
  EXPECT_EQ(rows().topLevelItemCount(), 0);
  EXPECT_EQ(view_.findChild<QLineEdit*>("handEdit")->text().toStdString(), wrong);
  EXPECT_TRUE(view_.findChild<QLabel*>("planRefusal")->text().contains("nobody"));
  EXPECT_TRUE(view_.findChild<QLabel*>("handProblem")->isHidden()) << "it is said once";
  type("split \"" + name(fused_edge().consumer) + "\"");
  EXPECT_TRUE(view_.findChild<QLineEdit*>("handEdit")->text().isEmpty());
}

TEST_F(ByHandTest, AnEditIsTypedListedAndTakenBackWithAKey) {
  const fusion::Decision edge = fused_edge();
  type("split \"" + name(edge.consumer) + "\"");
  ASSERT_EQ(rows().topLevelItemCount(), 1);
  EXPECT_EQ(rows().topLevelItem(0)->text(0), "split");
  EXPECT_EQ(view_.tabs()->tabText(FusionView::ByHand), "By hand (1)");
  EXPECT_NE(document().fusion().plan()->group_of(edge.producer),
            document().fusion().plan()->group_of(edge.consumer));
  rows().setCurrentItem(rows().topLevelItem(0));
  EXPECT_TRUE(document().selection().highlighted_nodes().contains(edge.consumer));
  QTest::keyClick(&rows(), Qt::Key_Delete);
  ASSERT_TRUE(settled(document()));
  EXPECT_EQ(list().count(), 0);
  EXPECT_EQ(document().fusion().plan()->group_of(edge.producer),
            document().fusion().plan()->group_of(edge.consumer));
  document().undo();
  ASSERT_TRUE(settled(document()));
  EXPECT_EQ(list().count(), 1);
}

// Rows have buttons, which thousands of edits would wait for; those made last can be taken back.
TEST_F(ByHandTest, OfVeryManyEditsTheLastHaveRows) {
  fusion::EditScript script;
  const std::string split = name(fused_edge().consumer);
  constexpr int count = 3000;
  for (int i = 0; i < count; ++i) script.edits.push_back({fusion::Edit::Kind::Split, {split}});
  document().set_edits(script);
  ASSERT_TRUE(settled(document()));
  EXPECT_EQ(list().count(), count);
  ASSERT_LT(rows().topLevelItemCount(), 600);
  EXPECT_TRUE(rows().topLevelItem(0)->text(1).contains("2500 edits")) << "without rows";
  rows().setCurrentItem(rows().topLevelItem(0));
  QTest::keyClick(&rows(), Qt::Key_Delete);
  ASSERT_TRUE(settled(document()));
  EXPECT_EQ(list().count(), count) << "which nobody takes back unseen";
  rows().setCurrentItem(rows().topLevelItem(rows().topLevelItemCount() - 1));
  QTest::keyClick(&rows(), Qt::Key_Delete);
  ASSERT_TRUE(settled(document()));
  EXPECT_EQ(list().count(), count - 1);
}

TEST_F(ByHandTest, AMistakeIsShownUnderACaret) {
  type("merge one");
  const auto* problem = view_.findChild<QLabel*>("handProblem");
  EXPECT_TRUE(problem->text().contains("^")) << problem->text().toStdString();
  EXPECT_EQ(list().count(), 0);
}

TEST_F(ByHandTest, WhatCannotBeSaysWhyWithItsCode) {
  const fusion::Decision edge = fused_edge();
  type("pin \"" + name(edge.producer) + "\"");
  type("split \"" + name(edge.consumer) + "\"");
  const auto* refusal = view_.findChild<QLabel*>("planRefusal");
  EXPECT_TRUE(refusal->text().contains("PINNED")) << refusal->text().toStdString();
  EXPECT_EQ(list().count(), 1);
  view_.tabs()->setCurrentIndex(0);
  EXPECT_TRUE(refusal->isHidden()) << "whoever goes on has read it";
}

// A file that the window saved is what --edits reads, and the window reads it again.
TEST_F(ByHandTest, EditsAreSavedAndLoaded) {
  type("split \"" + name(fused_edge().consumer) + "\"");
  const fusion::EditScript edits = document().edits();
  const QTemporaryDir folder;
  const QString path = folder.filePath("mine.edits");
  list().save(path);
  document().undo();
  ASSERT_TRUE(settled(document()));
  ASSERT_TRUE(document().edits().edits.empty());
  // As editors leave it that begin a text with a byte order mark.
  QFile file(path);
  ASSERT_TRUE(file.open(QIODevice::ReadWrite));
  const QByteArray bytes = file.readAll();
  file.seek(0);
  file.write("\xef\xbb\xbf" + bytes);
  file.close();
  list().load(path);
  ASSERT_TRUE(settled(document()));
  EXPECT_EQ(document().edits(), edits);
  list().load(folder.filePath("another.edits"));
  EXPECT_TRUE(view_.findChild<QLabel*>("handProblem")->text().contains("cannot be read"));
}

// Old and new are timed in turns on request.
TEST_F(ByHandTest, WhatIfIsMeasured) {
  type("split \"" + name(fused_edge().consumer) + "\"");
  auto* trials = view_.findChild<HandPane*>()->trials();
  ASSERT_TRUE(eventually([&] { return trials->outcomes().size() == 2; }));
  EXPECT_FALSE(trials->measured());
  trials->findChild<QPushButton*>("measurePlans")->click();
  ASSERT_TRUE(eventually([&] { return trials->measured(); }, 300000));
  EXPECT_TRUE(trials->outcomes()[1]->agrees);
  EXPECT_TRUE(trials->findChild<QLabel*>("differenceWords")->text().contains("measured"));
  // On as many threads as it was.
  const int threads = trials->outcomes()[1]->threads;
  const QString how = threads == 1 ? QString() : QString(" --threads %1").arg(threads);
  EXPECT_TRUE(view_.findChild<CommandBar*>()->command().endsWith(" --measure" + how));
}

TEST_F(ByHandTest, KernelsAreMergedSplitAndPinnedFromTheirMenu) {
  const fusion::Decision edge = fused_edge();
  const fusion::GroupId group = document().fusion().plan()->group_of(edge.producer);
  const auto words = [&](const std::vector<fusion::GroupId>& groups) {
    QMenu menu;
    fill_kernel_menu(menu, document(), groups);
    QStringList all;
    for (const QAction* action : menu.actions()) all << action->text().remove('&');
    return all.join(";");
  };
  EXPECT_TRUE(words({group}).contains("Split Out"));
  EXPECT_TRUE(words({group}).contains("Pin "));
  EXPECT_TRUE(words({fusion::GroupId{0}, fusion::GroupId{1}}).contains("Merge These 2 Kernels"));
  QMenu menu;
  fill_edge_menu(menu, document(), {edge});
  const QList<QAction*> actions = menu.actions();
  const auto forbid = std::ranges::find_if(
      actions, [](const QAction* action) { return action->text().contains("orbid"); });
  ASSERT_NE(forbid, actions.end());
  (*forbid)->trigger();
  ASSERT_TRUE(settled(document()));
  EXPECT_NE(document().fusion().plan()->group_of(edge.producer),
            document().fusion().plan()->group_of(edge.consumer));
}

}  // namespace
}  // namespace loopglass::views
