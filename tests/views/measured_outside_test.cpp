// The window measures in a process of its own: whatever befalls that one, the window stays, says
// so by number, and measures again.
#include "tests/views/opened.h"

#include "core/measure/worker_pool.h"
#include "views/code/code_pane.h"
#include "views/loops/script_editor.h"

#include <Qsci/qsciscintilla.h>

#include <QLabel>
#include <QToolButton>

#include <csignal>
#include <filesystem>
#include <fstream>

namespace loopglass::views {
namespace {

class MeasuredOutside : public ::testing::Test {
 protected:
  MeasuredOutside() {
    options_.workers =
        std::make_shared<measure::WorkerPool>(measure::Program{LOOPGLASSC, {"worker"}});
    document_ = std::make_unique<Document>(passes::toolchain(), options_);
    document_->open(sample_source("lenet"));
    EXPECT_TRUE(settled(*document_));
  }

  static void kill_children() {
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
      std::ifstream list(task.path() / "children");
      for (pid_t child; list >> child;) ::kill(child, SIGKILL);
    }
  }

  SessionOptions options_;
  std::unique_ptr<Document> document_;
};

TEST_F(MeasuredOutside, GivesAReportRoundByRound) {
  document_->benchmark().start(1, 5);
  ASSERT_TRUE(settled(*document_));
  EXPECT_EQ(document_->state(Stage::Benchmark), StageState::Ready);
  ASSERT_TRUE(document_->benchmark().report());
  EXPECT_EQ(document_->benchmark().report()->kernels.size(),
            document_->fusion().plan()->groups.size());
  EXPECT_EQ(document_->benchmark().round_times().size(), 5u);
  EXPECT_EQ(options_.workers->started(), 1);
}

TEST_F(MeasuredOutside, EachLineOfAScriptHasItsSpeedBesideIt) {
  ScriptEditor editor(document_.get());
  ASSERT_TRUE(settled(*document_));
  ASSERT_FALSE(document_->kernels().kernel()->stages->schedule.empty());
  QsciScintilla& typed = *editor.code()->editor();
  EXPECT_EQ(typed.marginWidth(4), 0);
  ASSERT_TRUE(
      eventually([&] { return editor.findChild<QToolButton*>("measureLines")->isEnabled(); }));
  editor.measure_lines();
  ASSERT_TRUE(settled(*document_));
  EXPECT_GT(typed.marginWidth(4), 0);
  const auto state = [&] { return editor.findChild<QLabel*>("scriptState")->text(); };
  EXPECT_TRUE(state().contains("FLOP/s"));
  EXPECT_TRUE(state().contains("thread"));
  // What was measured of a line holds while all before it are the same.
  const auto timed_lines = [&] {
    std::vector<int> lines;
    for (int line = 0; line < typed.lines(); ++line)
      if (typed.SendScintilla(QsciScintilla::SCI_MARGINGETTEXT, line, 0L) > 0)
        lines.push_back(line);
    return lines;
  };
  const std::vector<int> all = timed_lines();
  ASSERT_GE(all.size(), 2u);
  const QString script = typed.text();
  typed.setText("// a remark\n" + script);
  std::vector<int> one_lower = all;
  for (int& line : one_lower) ++line;
  EXPECT_TRUE(eventually([&] { return timed_lines() == one_lower; }));
  EXPECT_FALSE(state().contains("before the change")) << "a remark is none";
  // Behind a change they are ghosts, beside what was there.
  typed.setText(script);
  EXPECT_TRUE(eventually([&] { return timed_lines() == all; }));
  const auto held = typed.SendScintilla(QsciScintilla::SCI_MARGINGETSTYLE, all.front(), 0L);
  QStringList lines = script.split('\n');
  lines.removeAt(all.front());
  typed.setText(lines.join('\n'));
  std::vector<int> behind;
  for (const int line : all)
    if (line > all.front()) behind.push_back(line - 1);
  EXPECT_TRUE(eventually([&] { return timed_lines() == behind; }));
  EXPECT_NE(typed.SendScintilla(QsciScintilla::SCI_MARGINGETSTYLE, behind.front(), 0L), held);
  EXPECT_TRUE(state().contains("before the change"));
  typed.setText(script);
  EXPECT_TRUE(eventually([&] { return timed_lines() == all; }));
}

TEST_F(MeasuredOutside, AWorkerThatIsKilledIsSaidByNumberAndReplaced) {
  document_->benchmark().start(1, 10'000'000);
  ASSERT_TRUE(eventually([&] { return !document_->benchmark().round_times().empty(); }));
  kill_children();
  ASSERT_TRUE(settled(*document_));
  EXPECT_EQ(document_->state(Stage::Benchmark), StageState::Failed);
  ASSERT_TRUE(document_->problem(Stage::Benchmark));
  EXPECT_EQ(document_->problem(Stage::Benchmark)->code, Code::WorkerLost);
  document_->benchmark().start(1, 3);
  ASSERT_TRUE(settled(*document_));
  EXPECT_EQ(document_->state(Stage::Benchmark), StageState::Ready);
  EXPECT_EQ(options_.workers->started(), 2);
}

TEST_F(MeasuredOutside, StoppingKeepsTheRoundsThatRan) {
  document_->benchmark().start(1, 10'000'000);
  ASSERT_TRUE(eventually([&] { return document_->benchmark().round_times().size() > 2; }));
  document_->benchmark().stop();
  EXPECT_TRUE(document_->benchmark().is_stopping());
  ASSERT_TRUE(settled(*document_));
  ASSERT_TRUE(document_->benchmark().report());
  const int rounds = document_->benchmark().report()->network.rounds;
  EXPECT_GT(rounds, 2);
  EXPECT_EQ(document_->benchmark().stopped_words(),
            QString("stopped after %1 of 10000000 rounds").arg(rounds));
  EXPECT_FALSE(document_->benchmark().report()->kernels.empty());
  EXPECT_EQ(document_->benchmark().round_times().size(), static_cast<std::size_t>(rounds));
  EXPECT_EQ(options_.workers->started(), 1);
}

TEST_F(MeasuredOutside, StoppingAgainEndsWhatRunsThere) {
  document_->benchmark().start(1, 10'000'000);
  ASSERT_TRUE(eventually([&] { return !document_->benchmark().round_times().empty(); }));
  document_->benchmark().stop();
  document_->benchmark().stop();
  EXPECT_EQ(document_->state(Stage::Benchmark), StageState::Empty);
  EXPECT_TRUE(document_->benchmark().stopped_words().contains("of 10000000 rounds, of which"));
  ASSERT_TRUE(settled(*document_));
  document_->benchmark().start(1, 3);
  ASSERT_TRUE(settled(*document_));
  EXPECT_TRUE(document_->benchmark().report());
  EXPECT_EQ(document_->benchmark().stopped_words(), "");
}

}  // namespace
}  // namespace loopglass::views
