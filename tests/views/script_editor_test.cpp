// Schedules written in the window: checked while one types, taken into use, taken back, kept.
#include "views/loops/script_editor.h"

#include "core/runtime/executor.h"
#include "samples/kernel_samples.h"
#include "tests/views/opened.h"
#include "views/code/code_pane.h"
#include "views/document/saved_asked.h"
#include "views/document/text.h"
#include "views/loops/loop_view.h"

#include <Qsci/qsciscintilla.h>

#include <QAction>
#include <QApplication>
#include <QLabel>
#include <QMenu>
#include <QTest>
#include <QToolButton>

#include <gmock/gmock.h>

namespace loopglass::views {
namespace {

using ::testing::HasSubstr;

ModelSource kernel_source(const std::string& name) {
  const samples::KernelSample& sample = *samples::find_kernel_sample(name);
  return {text(name),
          [&sample] { return Result<onnx::Source>(kernel_sample_source(sample)); },
          {},
          text(name)};
}

class ScriptEditorTest : public ::testing::Test {
 protected:
  ScriptEditorTest() : document_(passes::toolchain(), {}), loops_(&document_) {
    document_.open(kernel_source("matmul"));
    EXPECT_TRUE(settled(document_));
    loops_.resize(700, 900);
    loops_.show();
  }

  ScriptEditor& editor() { return *loops_.script(); }
  QsciScintilla& typed() { return *editor().code()->editor(); }
  std::string state() { return editor().findChild<QLabel*>("scriptState")->text().toStdString(); }
  QToolButton* button(const char* name) { return editor().findChild<QToolButton*>(name); }
  // As who types and waits for the verdict.
  void write(const QString& script) {
    typed().setText(script);
    ASSERT_TRUE(QTest::qWaitFor([&] { return !QString::fromStdString(state()).contains("…"); }));
    ASSERT_TRUE(settled(document_));
  }
  void click(int line) {
    typed().setCursorPosition(line - 1, 0);
    emit editor().code()->lineClicked(line);
  }
  std::string nest() { return loops_.code()->text().toStdString(); }
  std::size_t schedule_steps() { return document_.kernel()->stages->schedule.size(); }

  Document document_;
  LoopView loops_;
};

TEST_F(ScriptEditorTest, BeginsWithTheDefaultSchedule) {
  EXPECT_EQ(editor().code()->text().toStdString(),
            schedule::to_script(document_.kernel()->stages->trace));
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
  EXPECT_THAT(nest(), ::testing::Not(HasSubstr("parallel"))) << "that is the next line";
  click(3);
  EXPECT_THAT(nest(), HasSubstr("parallel"));
  EXPECT_EQ(document_.own_schedule(), nullptr);
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
  const std::string by_default = schedule::to_script(document_.kernel()->stages->trace);
  const QString script = "// mine\nio, ii = split(i, [-1, 8])\nparallel(io)\n";
  write(script);
  typed().setCursorPosition(1, 0);
  editor().apply();
  ASSERT_TRUE(settled(document_));
  ASSERT_TRUE(document_.own_schedule());
  EXPECT_EQ(document_.own_schedule()->script, script.toStdString());
  EXPECT_EQ(schedule_steps(), 2u);
  EXPECT_EQ(document_.loop_step(), 1u) << "the nest is the one at the caret's line";
  EXPECT_EQ(editor().code()->text(), script) << "comments stay";
  EXPECT_THAT(state(), HasSubstr("Your schedule"));
  EXPECT_TRUE(document_.machine_code());
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
    return (*executor)->run(runtime::random_inputs(*document_.last_graph()), pool).value();
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

TEST_F(ScriptEditorTest, LinesAreSwitchedOff) {
  write("io, ii = split(i, [-1, 8])\nparallel(io)\n");
  typed().setCursorPosition(1, 3);
  editor().switch_line();
  EXPECT_EQ(typed().text().toStdString(), "io, ii = split(i, [-1, 8])\n// parallel(io)\n");
  editor().switch_line();
  EXPECT_EQ(typed().text().toStdString(), "io, ii = split(i, [-1, 8])\nparallel(io)\n");
}

// A click with the right button on a loop offers every primitive, and a choice is a line of script.
TEST_F(ScriptEditorTest, ALoopOffersWhatCanBeDoneToIt) {
  write("io, ii = split(i, [-1, 8])\n");
  editor().apply();
  ASSERT_TRUE(settled(document_));
  document_.set_loop_step(1);
  const auto& lines = document_.loop_listing()->lines;
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

// What is written and not in use stays where it is, with its kernel, over another one and a
// restart.
TEST_F(ScriptEditorTest, DraftsAreKept) {
  const QString script = "io, ii = split(i, [-1, 8])\nvec";
  write(script);
  ASSERT_EQ(document_.drafts().size(), 1u);
  SavedSession saved;
  saved.asked = to_saved(document_.asked(), document_.last_graph().get());
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
            schedule::to_script(document_.kernel()->stages->trace));
}

// A session that is opened again has the script, and one whose script is no longer legal keeps its
// text, says so, and schedules by default.
TEST_F(ScriptEditorTest, IsKeptWithTheSession) {
  const QString script = "// mine\nio, ii = split(i, [-1, 8])\nparallel(io)\n";
  write(script);
  editor().apply();
  ASSERT_TRUE(settled(document_));
  SavedSession saved;
  saved.asked = to_saved(document_.asked(), document_.last_graph().get());
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
