// What is done to a nest with the mouse becomes a line of its script.
#include "tests/views/script_editor_fixture.h"

#include <QAction>
#include <QApplication>
#include <QMenu>

#include <gmock/gmock.h>

namespace loopglass::views {
namespace {

using ::testing::HasSubstr;

// A click with the right button on a loop offers every primitive, and a choice is a line of script.
TEST_F(ScriptEditorTest, ALoopOffersWhatCanBeDoneToIt) {
  write("io, ii = split(i, [-1, 8])\n");
  editor().apply();
  ASSERT_TRUE(settled(document_));
  document_.kernels().set_loop_step(1);
  const auto& lines = document_.kernels().loop_listing()->lines;
  const auto loop = std::ranges::find_if(lines, [](const auto& line) {
    return line.text.find("for i_o ") != std::string::npos ||
           line.text.find("for i_") != std::string::npos;
  });
  ASSERT_NE(loop, lines.end());
  emit loops_.code()->menuWanted(static_cast<int>(loop - lines.begin()) + 1, QPoint(10, 10));
  ASSERT_TRUE(QTest::qWaitFor([&] { return loops_.findChild<QMenu*>("nestMenu") != nullptr; }));
  QMenu* menu = loops_.findChild<QMenu*>("nestMenu");
  QAction* parallel = nullptr;
  int refused = 0;
  for (QAction* action : menu->findChildren<QAction*>()) {
    if (action->data().toString().startsWith("parallel(")) parallel = action;
    if (!action->data().isNull() && !action->isEnabled()) {
      ++refused;
      EXPECT_FALSE(action->toolTip().isEmpty());
    }
  }
  ASSERT_TRUE(parallel);
  ASSERT_TRUE(parallel->isEnabled()) << parallel->toolTip().toStdString();
  EXPECT_GT(refused, 0);
  parallel->trigger();
  menu->close();
  ASSERT_TRUE(QTest::qWaitFor([&] {
    return document_.own_schedule() &&
           document_.own_schedule()->script.find("parallel(") != std::string::npos;
  }));
  ASSERT_TRUE(settled(document_));
  EXPECT_EQ(schedule_steps(), 2u);
}

// A loop that is dragged onto another: while the button is down the loops say where it may go, and
// what is let go there is a line of script.
class LoopDragTest : public ScriptEditorTest {
 protected:
  LoopDragTest() {
    write("// nothing yet\n");
    click(1);
  }
  int line_of(const std::string& begin) {
    const QStringList lines = loops_.code()->text().split('\n');
    for (int line = 0; line < lines.size(); ++line)
      if (lines[line].trimmed().startsWith(text(begin))) return line;
    ADD_FAILURE() << begin;
    return 0;
  }
  QWidget* viewport() { return loops_.code()->editor()->viewport(); }
  QPoint place_of(int line) {
    const auto& editor = *loops_.code()->editor();
    return {40, static_cast<int>(line - editor.firstVisibleLine()) * editor.textHeight(line) + 5};
  }
  void move(const QPoint& to) {
    QMouseEvent event(QEvent::MouseMove, to, viewport()->mapToGlobal(to), Qt::NoButton,
                      Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(viewport(), &event);
  }
  void take(const std::string& what) {
    const QPoint from = place_of(line_of(what));
    QTest::mousePress(viewport(), Qt::LeftButton, Qt::NoModifier, from);
    move(from + QPoint(1, 14));
  }
  void let_go(const std::string& where) {
    QTest::mouseRelease(viewport(), Qt::LeftButton, Qt::NoModifier, place_of(line_of(where)));
  }
  // The bits of the markers of a line.
  bool is_target(const std::string& what) { return markers(what) & (1u << 20); }
  bool is_refused(const std::string& what) { return markers(what) & (1u << 21); }
  unsigned markers(const std::string& what) {
    return loops_.code()->editor()->markersAtLine(line_of(what));
  }
};

TEST_F(LoopDragTest, DropsALoopOntoAnother) {
  take("for k in");
  ASSERT_TRUE(QTest::qWaitFor([&] { return is_target("for i in") && is_target("for j in"); }));
  EXPECT_FALSE(is_target("for k in"));
  move(place_of(line_of("for i in")));
  let_go("for i in");
  EXPECT_FALSE(is_target("for i in"));
  ASSERT_TRUE(QTest::qWaitFor([&] { return document_.own_schedule() != nullptr; }));
  EXPECT_THAT(document_.own_schedule()->script, HasSubstr("reorder([k, i, j])"));
  ASSERT_TRUE(settled(document_));
  EXPECT_LT(line_of("for k in"), line_of("for i in"));
}

// A line that is written and stays out of use, since a later one no longer goes: the keyboard is
// where it is taken back.
TEST_F(LoopDragTest, ALineThatDoesNotGoIsTakenBackWhereItStands) {
  write("io, ii = split(i, [-1, 8])\n");
  editor().apply();
  ASSERT_TRUE(settled(document_));
  ASSERT_TRUE(document_.own_schedule());
  const std::string in_use = document_.own_schedule()->script;
  loops_.activateWindow();
  loops_.code()->editor()->setFocus();
  editor().insert_line("a, b = split(i, [-1, 4])", 0);
  ASSERT_TRUE(QTest::qWaitFor([&] { return typed().hasFocus(); }));
  EXPECT_EQ(document_.own_schedule()->script, in_use);
  ASSERT_TRUE(typed().isUndoAvailable());
  QTest::keyClick(&typed(), Qt::Key_Z, Qt::ControlModifier);
  EXPECT_EQ(typed().text().toStdString(), in_use);
  EXPECT_EQ(document_.own_schedule()->script, in_use);
}

TEST_F(LoopDragTest, EscapeLeavesAllAsItWas) {
  const std::string before = nest();
  take("for k in");
  ASSERT_TRUE(QTest::qWaitFor([&] { return is_target("for i in"); }));
  QTest::keyClick(loops_.code()->editor(), Qt::Key_Escape);
  EXPECT_FALSE(is_target("for i in"));
  let_go("for i in");
  EXPECT_EQ(nest(), before);
  EXPECT_EQ(editor().code()->text(), "// nothing yet\n");
}

// A loop that runs on threads holds no other that its sums go through.
TEST_F(LoopDragTest, WhatIsRefusedIsRed) {
  write("parallel(i)\n");
  click(1);
  take("for k in");
  ASSERT_TRUE(QTest::qWaitFor([&] { return is_refused("for i in"); })) << nest();
  EXPECT_TRUE(is_target("for j in"));
  let_go("for i in");
  EXPECT_EQ(editor().code()->text(), "parallel(i)\n");
}

TEST_F(LoopDragTest, AlongALineOneSelectsText) {
  const QPoint from = place_of(line_of("for k in"));
  QTest::mousePress(viewport(), Qt::LeftButton, Qt::NoModifier, from);
  for (int x = 1; x < 80; x += 8) move(from + QPoint(x, 0));
  QTest::mouseRelease(viewport(), Qt::LeftButton, Qt::NoModifier, from + QPoint(80, 0));
  EXPECT_TRUE(loops_.code()->editor()->hasSelectedText());
}

// A number goes from factor to factor as it is dragged, and is in use once it is let go.
class NumberDragTest : public ScriptEditorTest {
 protected:
  QWidget* viewport() { return typed().viewport(); }
  QPoint place_of(int line, int column) {
    const auto position = typed().positionFromLineIndex(line - 1, column);
    const auto coordinate = [&](unsigned message) {
      return static_cast<int>(
          typed().SendScintilla(message, 0UL, static_cast<unsigned long>(position)));
    };
    return QPoint(coordinate(QsciScintilla::SCI_POINTXFROMPOSITION) + 3,
                  coordinate(QsciScintilla::SCI_POINTYFROMPOSITION) + 5);
  }
  void drag(const QPoint& from, int right) {
    QTest::mousePress(viewport(), Qt::LeftButton, Qt::NoModifier, from);
    for (int way = 0; std::abs(way) <= std::abs(right); way += right < 0 ? -7 : 7) {
      const QPoint to = from + QPoint(way, 2);
      QMouseEvent move(QEvent::MouseMove, to, viewport()->mapToGlobal(to), Qt::NoButton,
                       Qt::LeftButton, Qt::NoModifier);
      QApplication::sendEvent(viewport(), &move);
    }
    QTest::mouseRelease(viewport(), Qt::LeftButton, Qt::NoModifier, from + QPoint(right, 2));
  }
};

TEST_F(NumberDragTest, ChangesAFactor) {
  const std::string before = "io, ii = split(i, [-1, 8])\nparallel(io)\n";
  write(text(before));
  drag(place_of(1, 23), 42);
  EXPECT_EQ(typed().text(), "io, ii = split(i, [-1, 64])\nparallel(io)\n");
  ASSERT_TRUE(QTest::qWaitFor([&] { return document_.own_schedule() != nullptr; }));
  EXPECT_THAT(document_.own_schedule()->script, HasSubstr("[-1, 64]"));
  ASSERT_TRUE(settled(document_));
  drag(place_of(1, 23), -14);
  EXPECT_EQ(typed().text(), "io, ii = split(i, [-1, 32])\nparallel(io)\n");
  typed().undo();
  EXPECT_EQ(typed().text(), "io, ii = split(i, [-1, 64])\nparallel(io)\n") << "one way, one step";
}

TEST_F(NumberDragTest, LeavesWhatIsNoFactor) {
  const QString script = "// 8 rows\nio, ii8 = split(i, [-1, 8])\n";
  write(script);
  drag(place_of(1, 3), 42);
  drag(place_of(2, 6), 42);
  drag(place_of(2, 22), 42);
  EXPECT_EQ(typed().text(), script);
}

TEST_F(NumberDragTest, KeysDoTheSame) {
  write("io, ii = split(i, [-1, 8])\n");
  typed().setCursorPosition(0, 2);
  editor().enlarge();
  EXPECT_EQ(typed().text(), "io, ii = split(i, [-1, 16])\n");
  editor().diminish();
  editor().diminish();
  EXPECT_EQ(typed().text(), "io, ii = split(i, [-1, 4])\n");
  ASSERT_TRUE(QTest::qWaitFor([&] { return document_.own_schedule() != nullptr; }));
}

}  // namespace
}  // namespace loopglass::views
