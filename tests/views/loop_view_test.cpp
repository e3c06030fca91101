// The loop nest and its script share a pane.
#include "views/loops/loop_view.h"

#include "tests/views/opened.h"
#include "views/loops/script_editor.h"
#include "views/widgets/hand_splits.h"

#include <gtest/gtest.h>

#include <QSplitter>
#include <QToolButton>

namespace loopglass::views {
namespace {

class LoopViewTest : public testing::Test {
 protected:
  static QList<int> parts(const LoopView& view) { return splitter(view).sizes(); }
  static QSplitter& splitter(const LoopView& view) {
    for (QWidget* at = view.findChild<ScriptEditor*>();; at = at->parentWidget())
      if (auto* found = qobject_cast<QSplitter*>(at)) return *found;
  }
  static void show(LoopView& view, int width) {
    view.resize(width, 600);
    view.show();
    QCoreApplication::processEvents();
  }

  Opened opened_{"mlp"};
};

// A session that is restored has its final width at once; one that is used gets there by steps.
TEST_F(LoopViewTest, IsPartedAlikeHoweverItBecameAsWideAsItIs) {
  LoopView at_once(&opened_.document), by_steps(&opened_.document);
  show(at_once, 1200);
  for (const int width : {400, 900, 600, 1200}) show(by_steps, width);
  EXPECT_EQ(parts(by_steps), parts(at_once));
  EXPECT_GT(parts(at_once)[0], parts(at_once)[1]) << "the nest has more to show";
}

// Panes get their sizes one after the other.
TEST_F(LoopViewTest, WhatALowPaneGaveTheScriptIsNotKeptInAWideOne) {
  LoopView view(&opened_.document), at_once(&opened_.document);
  view.resize(400, 260);
  view.show();
  view.open_script();
  QCoreApplication::processEvents();
  EXPECT_LT(parts(view)[0], parts(view)[1]) << "one of both can be read";
  show(view, 1200);
  show(at_once, 1200);
  EXPECT_EQ(parts(view), parts(at_once));
}

TEST_F(LoopViewTest, StaysAsAPersonPartedIt) {
  LoopView view(&opened_.document);
  show(view, 1200);
  part_by_hand(splitter(view), {400, 800});
  const QList<int> by_hand = parts(view);
  const QString script = "Script";
  for (QToolButton* button : view.findChildren<QToolButton*>())
    if (button->text() == script)
      for (const bool shown : {false, true}) button->setChecked(shown);
  QCoreApplication::processEvents();
  EXPECT_EQ(parts(view), by_hand);
}

}  // namespace
}  // namespace loopglass::views
