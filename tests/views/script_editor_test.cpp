// Schedules written in the window: checked while one types, taken into use, taken back, kept.
#include "views/loops/script_editor.h"

#include "core/runtime/executor.h"
#include "samples/kernel_samples.h"
#include "tests/views/script_editor_fixture.h"
#include "views/code/code_pane.h"
#include "views/document/saved_asked.h"
#include "views/loops/loop_view.h"
#include "views/loops/script_words.h"
#include "views/loops/witness_picture.h"
#include "views/text.h"

#include <Qsci/qsciscintilla.h>

#include <QAction>
#include <QApplication>
#include <QFile>
#include <QLabel>
#include <QMenu>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include <gmock/gmock.h>

namespace loopglass::views {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// As a picture, with words.
TEST_F(ScriptEditorTest, ShowsTwoIterationsThatAreInTheWay) {
  write("split(j, [-1, 8])\nparallel(k)\n");
  EXPECT_THAT(typed().annotation(1).toStdString(), HasSubstr("sums over 'k'"));
  auto* picture = editor().findChild<WitnessPicture*>();
  EXPECT_FALSE(picture->isHidden());
  EXPECT_THAT(picture->accessibleDescription().toStdString(), HasSubstr("k = 1"));
  write("split(i, [0, 0])\n");
  EXPECT_TRUE(picture->isHidden());
  write("parallel(i)\n");
  EXPECT_TRUE(picture->isHidden());
}

TEST_F(ScriptEditorTest, OffersWhatArgumentsMayBe) {
  ScriptWords words(editor().code()->lexer());
  words.offer_names_of({&document_.kernels().kernel()->stages->initial});
  const auto offered = [&](const QString& begun) {
    QStringList list;
    words.updateAutoCompletionList({begun}, list);
    return list;
  };
  EXPECT_TRUE(offered("vnn").contains("vnni_dot_16x4"));
  EXPECT_TRUE(offered("pee").contains("peel"));
  EXPECT_TRUE(offered("regi").contains("register"));
  EXPECT_TRUE(offered("tensor").contains("tensorize"));
}

TEST_F(ScriptEditorTest, WhatIsDiscardedComesBack) {
  const QString before = editor().code()->text();
  write("parallel(i)\n");
  editor().use_default();
  EXPECT_EQ(editor().code()->text(), before);
  EXPECT_FALSE(editor().is_draft());
  typed().undo();
  EXPECT_EQ(editor().code()->text(), "parallel(i)\n");
  EXPECT_TRUE(editor().is_draft());
}

TEST_F(ScriptEditorTest, WhatIsNoTextIsNotLoaded) {
  std::string problem;
  QObject::connect(&document_, &Document::failed,
                   [&](const Diagnostic& told) { problem = to_string(told); });
  const QString before = editor().code()->text();
  QTemporaryDir folder;
  for (const auto& [bytes, why] :
       {std::pair{QByteArray("\x89PNG\r\n\x1a\n\0\0", 10), "it is no text"},
        {QByteArray((1 << 20) + 1, 'a'), "it is too large to be a script"}}) {
    QFile file(folder.filePath("script"));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(bytes);
    file.close();
    editor().load(file.fileName());
    EXPECT_NE(problem.find(why), std::string::npos) << problem;
    EXPECT_EQ(editor().code()->text(), before);
  }
}

// Where a later line has changed what was left to an intrinsic.
TEST_F(ScriptEditorTest, SaysThatAnIntrinsicIsNotUsedAnyMore) {
  const QString tile =
      "io, ii = split(i, [-1, 8])\njo, ji = split(j, [-1, 8])\nko, ki = split(k, [-1, 8])\n"
      "reorder([io, jo, ko, ii, ji, ki])\ndecompose_reduction(\"C\", ko)\n"
      "tensorize(ii, matmul_8x8x8)\n";
  auto* limits = editor().findChild<QLabel*>("scriptLimits");
  write(tile);
  click(6);
  EXPECT_TRUE(limits->isHidden()) << limits->text().toStdString();
  write(tile + "split(ki, [-1, 4])\n");
  click(7);
  EXPECT_THAT(limits->text().toStdString(),
              HasSubstr("'matmul_8x8x8' is not used: it has 4 loops"));
}

TEST_F(ScriptEditorTest, BeginsWithTheDefaultSchedule) {
  EXPECT_EQ(editor().code()->text().toStdString(),
            schedule::to_script(document_.kernels().kernel()->stages->trace));
  EXPECT_THAT(state(), HasSubstr("default schedule"));
  EXPECT_FALSE(button("applyScript")->isEnabled());
  EXPECT_FALSE(button("defaultScript")->isEnabled());
  EXPECT_EQ(document_.own_schedule(), nullptr);
}

TEST_F(ScriptEditorTest, WhatIsTypedIsCheckedAndShownButNotInUse) {
  const std::string before = nest();
  write("// rows\nio, ii = split(i, [-1, 8])\nparallel(io)\n");
  EXPECT_THAT(state(), HasSubstr("not in use"));
  EXPECT_TRUE(button("applyScript")->isEnabled());
  click(2);
  EXPECT_NE(nest(), before);
  EXPECT_THAT(nest(), HasSubstr(" in 8 "));
  EXPECT_THAT(nest(), Not(HasSubstr("parallel"))) << "that is the next line";
  click(3);
  EXPECT_THAT(nest(), HasSubstr("parallel"));
  EXPECT_EQ(document_.own_schedule(), nullptr);
}

// Against the line before, whichever step of what is in use was shown before it was typed.
TEST_F(ScriptEditorTest, WhatALineOfADraftChangesIsMarked) {
  const auto marked = [&] {
    constexpr unsigned changed_sign = 1u << 19;
    std::vector<std::string> lines;
    const QsciScintilla* shown = loops_.code()->editor();
    for (int line = 0; line < shown->lines(); ++line)
      if (shown->markersAtLine(line) & changed_sign)
        lines.push_back(shown->text(line).trimmed().toStdString());
    return lines;
  };
  for (const std::size_t step : {std::size_t(0), schedule_steps()}) {
    document_.kernels().set_loop_step(step);
    write("io, ii = split(i, [-1, 8])\nparallel(io)\n");
    click(2);
    EXPECT_THAT(marked(), ElementsAre(HasSubstr("i_o in 64 parallel"))) << "from step " << step;
    editor().use_default();
    ASSERT_TRUE(settled(document_));
  }
}

// Before it is compiled, and at each line what the nest is there.
TEST_F(ScriptEditorTest, WhatIsInTheWayIsCounted) {
  auto* limits = editor().findChild<QLabel*>("scriptLimits");
  write("i_o, i_i = split(i, [-1, 4])\nreorder([i_o, j, k, i_i])\nunroll(i_i)\n");
  click(1);
  EXPECT_THAT(limits->text().toStdString(), HasSubstr("1 independent sum;"));
  click(3);
  EXPECT_THAT(limits->text().toStdString(), HasSubstr("4 independent sums;"));
  document_.open(kernel_source("vector_add"));
  ASSERT_TRUE(settled(document_));
  EXPECT_TRUE(limits->isHidden()) << limits->text().toStdString();
}

TEST_F(ScriptEditorTest, WhatIsWrongStandsBelowItsLine) {
  write("io, ii = split(i, [-1, 8])\nvectorise(ii)\n");
  EXPECT_THAT(state(), HasSubstr("line 2"));
  EXPECT_THAT(typed().annotation(1).toStdString(), HasSubstr("there is no primitive"));
  EXPECT_TRUE(typed().annotation(0).isEmpty());
  EXPECT_FALSE(button("applyScript")->isEnabled());
  editor().apply();
  EXPECT_EQ(document_.own_schedule(), nullptr);
  write("io, ii = split(i, [-1, 8])\n");
  EXPECT_TRUE(typed().annotation(1).isEmpty());
}

TEST_F(ScriptEditorTest, IsAppliedUndoneAndDoneAgain) {
  const std::string by_default = schedule::to_script(document_.kernels().kernel()->stages->trace);
  const QString script = "// mine\nio, ii = split(i, [-1, 8])\nparallel(io)\n";
  write(script);
  typed().setCursorPosition(1, 0);
  editor().apply();
  ASSERT_TRUE(settled(document_));
  ASSERT_TRUE(document_.own_schedule());
  EXPECT_EQ(document_.own_schedule()->script, script.toStdString());
  EXPECT_EQ(schedule_steps(), 2u);
  EXPECT_EQ(document_.kernels().loop_step(), 1u) << "the nest is the one at the caret's line";
  EXPECT_EQ(editor().code()->text(), script) << "comments stay";
  EXPECT_THAT(state(), HasSubstr("Your schedule"));
  EXPECT_TRUE(document_.kernels().machine_code());
  EXPECT_THAT(document_.undo_words().toStdString(), HasSubstr("schedule of matmul"));

  document_.undo();
  ASSERT_TRUE(settled(document_));
  EXPECT_EQ(document_.own_schedule(), nullptr);
  EXPECT_EQ(editor().code()->text().toStdString(), by_default);
  document_.redo();
  ASSERT_TRUE(settled(document_));
  EXPECT_EQ(schedule_steps(), 2u);
  EXPECT_EQ(editor().code()->text(), script);

  editor().use_default();
  ASSERT_TRUE(settled(document_));
  EXPECT_EQ(editor().code()->text().toStdString(), by_default);
}

// What is in use computes what the default schedule computes.
TEST_F(ScriptEditorTest, ResultsStay) {
  runtime::ThreadPool pool(1);
  const auto run = [&] {
    auto executor = document_.session()->executor();
    EXPECT_TRUE(executor);
    return (*executor)
        ->run(runtime::random_inputs(*document_.history().last_graph()), pool)
        .value();
  };
  const auto before = run();
  write(
      "io, ii = split(i, [-1, 8])\nreorder([k, ii])\nparallel(io)\nj_o, j_i = split(j, [-1, "
      "8])\nvectorize(j_i)\n");
  editor().apply();
  ASSERT_TRUE(settled(document_));
  ASSERT_TRUE(document_.own_schedule()) << state();
  const auto after = run();
  ASSERT_EQ(after.size(), before.size());
  for (std::size_t i = 0; i < after.size(); ++i) {
    ASSERT_EQ(after[i].type(), before[i].type());
    const auto a = after[i].as<float>(), b = before[i].as<float>();
    for (std::size_t e = 0; e < a.size(); ++e) ASSERT_NEAR(a[e], b[e], 1e-3) << e;
  }
}

// As a person presses them: the editor has uses of its own for some.
TEST_F(ScriptEditorTest, KeysReachTheScript) {
  write("io, ii = split(i, [-1, 8])\nparallel(io)\n");
  loops_.resize(1000, 900);  // wide enough for the script
  loops_.activateWindow();
  ASSERT_TRUE(QTest::qWaitForWindowActive(&loops_));
  typed().setFocus();
  ASSERT_TRUE(QTest::qWaitFor([&] { return typed().hasFocus(); }));
  const auto press = [&](Qt::Key key, Qt::KeyboardModifiers with) {
    QTest::keyClick(loops_.windowHandle(), key, with);
    QApplication::processEvents();
    return typed().text().toStdString();
  };
  typed().setCursorPosition(1, 3);
  EXPECT_THAT(press(Qt::Key_Slash, Qt::ControlModifier), HasSubstr("// parallel(io)"));
  EXPECT_THAT(press(Qt::Key_Slash, Qt::ControlModifier), Not(HasSubstr("//")));
  typed().setCursorPosition(0, 24);
  EXPECT_THAT(press(Qt::Key_Up, Qt::ControlModifier | Qt::ShiftModifier), HasSubstr("[-1, 16]"));
  EXPECT_THAT(press(Qt::Key_Down, Qt::ControlModifier | Qt::ShiftModifier), HasSubstr("[-1, 8]"));
  EXPECT_THAT(press(Qt::Key_Down, Qt::AltModifier), ::testing::StartsWith("parallel(io)\nio, ii"));
  EXPECT_THAT(press(Qt::Key_Up, Qt::AltModifier), ::testing::StartsWith("io, ii"));
  press(Qt::Key_Return, Qt::ControlModifier);
  ASSERT_TRUE(QTest::qWaitFor([&] { return document_.own_schedule() != nullptr; }));
}

// Whoever has the keys in the script of one kernel sees another as it is in use, not at its first
// line.
TEST_F(ScriptEditorTest, AnotherKernelIsShownAsItIsInUse) {
  loops_.resize(1000, 900);
  loops_.activateWindow();
  ASSERT_TRUE(QTest::qWaitForWindowActive(&loops_));
  typed().setFocus();
  ASSERT_TRUE(QTest::qWaitFor([&] { return typed().hasFocus(); }));
  typed().setCursorPosition(3, 0);
  document_.open(kernel_source("conv2d"));
  ASSERT_TRUE(settled(document_));
  QApplication::processEvents();
  EXPECT_EQ(document_.kernels().loop_step(), document_.kernels().kernel()->loops.size() - 1);
}

// Undo of a schedule leaves one where one stood.
TEST_F(ScriptEditorTest, TheStepStaysWhenTheScheduleChanges) {
  write("io, ii = split(i, [-1, 8])\nparallel(io)\n");
  typed().setCursorPosition(0, 0);
  editor().apply();
  ASSERT_TRUE(settled(document_));
  ASSERT_EQ(document_.kernels().loop_step(), 1u);
  document_.undo();
  ASSERT_TRUE(settled(document_));
  EXPECT_EQ(document_.kernels().loop_step(), 1u);
  document_.redo();
  ASSERT_TRUE(settled(document_));
  EXPECT_EQ(document_.kernels().loop_step(), 1u);
}

TEST_F(ScriptEditorTest, AtTheEndOneStaysThere) {
  const std::size_t by_default = schedule_steps();
  write("io, ii = split(i, [-1, 8])\nparallel(io)\n");
  typed().setCursorPosition(1, 0);
  editor().apply();
  ASSERT_TRUE(settled(document_));
  ASSERT_EQ(document_.kernels().loop_step(), 2u);
  document_.undo();
  ASSERT_TRUE(settled(document_));
  EXPECT_EQ(document_.kernels().loop_step(), by_default);
  document_.redo();
  ASSERT_TRUE(settled(document_));
  EXPECT_EQ(document_.kernels().loop_step(), 2u);
}

// Undo takes back what was typed, and where nothing was since it came into use, that it is.
TEST_F(ScriptEditorTest, WhatIsInUseIsTakenBackNext) {
  typed().insertAt("// typed\n", 0, 0);
  const auto is_passed_on = [&] {
    QKeyEvent undo(QEvent::ShortcutOverride, Qt::Key_Z, Qt::ControlModifier);
    QApplication::sendEvent(&typed(), &undo);
    return !undo.isAccepted();
  };
  EXPECT_FALSE(is_passed_on());
  write("io, ii = split(i, [-1, 8])\nparallel(io)\n");
  editor().apply();
  ASSERT_TRUE(settled(document_));
  ASSERT_TRUE(document_.own_schedule());
  EXPECT_TRUE(is_passed_on());
}

// What only looks something up has made nothing of the nest.
TEST_F(ScriptEditorTest, TheNestIsWhatTheLinesUpToTheCaretMakeOfIt) {
  write("C = block(\"C\")\ni, j, k = loops(C)\nio, ii = split(i, [-1, 8])\n");
  const auto step_at = [&](int line) {
    click(line);
    return loops_.code()->text().contains("i_o");
  };
  EXPECT_FALSE(step_at(2));
  EXPECT_TRUE(step_at(3));
  editor().apply();
  ASSERT_TRUE(settled(document_));
  EXPECT_FALSE(step_at(2)) << "in use as well";
  EXPECT_TRUE(step_at(3));
}

TEST_F(ScriptEditorTest, WhatIsWrongIsReadWithoutScrolling) {
  loops_.resize(760, 900);
  write("reorder([\"a_loop_that_is_nowhere_in_this_nest\", \"and_another_one\"])\n");
  const QStringList lines = typed().annotation(0).split('\n');
  EXPECT_GT(lines.size(), 1);
  const int letter = QFontMetrics(editor().code()->lexer()->defaultFont()).horizontalAdvance('m');
  for (const QString& line : lines)
    EXPECT_LT(letter * line.size(), typed().viewport()->width()) << line.toStdString();
}

TEST_F(ScriptEditorTest, LinesAreSwitchedOff) {
  write("io, ii = split(i, [-1, 8])\nparallel(io)\n");
  typed().setCursorPosition(1, 3);
  editor().switch_line();
  EXPECT_EQ(typed().text().toStdString(), "io, ii = split(i, [-1, 8])\n// parallel(io)\n");
  editor().switch_line();
  EXPECT_EQ(typed().text().toStdString(), "io, ii = split(i, [-1, 8])\nparallel(io)\n");
}

// What is written and not in use stays where it is, with its kernel, over another one and a
// restart.
TEST_F(ScriptEditorTest, DraftsAreKept) {
  const QString script = "io, ii = split(i, [-1, 8])\nvec";
  write(script);
  ASSERT_EQ(document_.drafts().size(), 1u);
  SavedSession saved;
  saved.asked = to_saved(document_.asked(), document_.history().last_graph().get());
  saved.asked.request.model = "matmul";
  for (const auto& [workload, draft] : document_.drafts()) saved.drafts.push_back(draft);
  document_.open(kernel_source("softmax"));
  ASSERT_TRUE(settled(document_));
  EXPECT_TRUE(document_.drafts().empty()) << "another model";
  EXPECT_NE(editor().code()->text(), script);

  ModelSource source = kernel_source("matmul");
  source.resume = std::make_shared<const SavedSession>(parse_saved_session(to_text(saved)).value());
  document_.open(std::move(source));
  ASSERT_TRUE(settled(document_));
  EXPECT_EQ(editor().code()->text(), script);
  EXPECT_TRUE(editor().is_draft());
  EXPECT_EQ(document_.own_schedule(), nullptr);
  editor().use_default();
  EXPECT_TRUE(document_.drafts().empty());
  EXPECT_EQ(editor().code()->text().toStdString(),
            schedule::to_script(document_.kernels().kernel()->stages->trace));
}

// A session that is opened again has the script, and one whose script is no longer legal keeps its
// text, says so, and schedules by default.
TEST_F(ScriptEditorTest, IsKeptWithTheSession) {
  const QString script = "// mine\nio, ii = split(i, [-1, 8])\nparallel(io)\n";
  write(script);
  editor().apply();
  ASSERT_TRUE(settled(document_));
  SavedSession saved;
  saved.asked = to_saved(document_.asked(), document_.history().last_graph().get());
  saved.workloads = document_.workloads();
  const auto read = parse_saved_session(to_text([&] {
    SavedSession named = saved;
    named.asked.request.model = "matmul";
    return named;
  }()));
  ASSERT_TRUE(read) << to_string(read.error());

  const auto open = [&](SavedSession session) {
    ModelSource source = kernel_source("matmul");
    source.resume = std::make_shared<const SavedSession>(std::move(session));
    document_.open(std::move(source));
    ASSERT_TRUE(settled(document_));
  };
  open(*read);
  EXPECT_EQ(schedule_steps(), 2u);
  EXPECT_EQ(editor().code()->text(), script);

  std::vector<Diagnostic> told;
  QObject::connect(&document_, &Document::resumed, &document_,
                   [&](const SavedSession&, const auto& problems) { told = problems; });
  SavedSession illegal = *read;
  illegal.asked.schedules.front().script = "parallel(k)\n";
  open(illegal);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_THAT(told.front().where, HasSubstr("the schedule of matmul"));
  EXPECT_NE(schedule_steps(), 1u);
  EXPECT_EQ(editor().code()->text(), "parallel(k)\n");
  EXPECT_THAT(state(), HasSubstr("the default is in use"));
}

}  // namespace
}  // namespace loopglass::views
