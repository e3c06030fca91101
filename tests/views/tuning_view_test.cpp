// Tuning in the window: a run is begun, followed, held, stopped; its scripts are used and edited.
#include "views/tuning/tuning_view.h"

#include "samples/kernel_samples.h"
#include "tests/views/opened.h"
#include "views/text.h"
#include "views/tuning/trial_table.h"
#include "views/tuning/tuning_chart.h"

#include <QComboBox>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTableView>
#include <QTest>

#include <gmock/gmock.h>

namespace loopglass::views {
namespace {

using ::testing::HasSubstr;

constexpr int patience = 60'000;  // milliseconds

class TuningViewTest : public ::testing::Test {
 protected:
  TuningViewTest() : document_(passes::toolchain(), options()), view_(&document_) {
    view_.resize(1200, 400);
    view_.show();
  }

  static SessionOptions options() {
    SessionOptions options;
    options.workers =
        std::make_shared<measure::WorkerPool>(measure::Program{LOOPGLASSC, {"worker"}});
    return options;
  }

  void open_product() {
    auto text = std::make_shared<const std::string>(
        "input A: float32[48, 32]\nconstant B: float32[32, 48]\n"
        "C[i, j] = sum over k of A[i, k] * B[k, j]\n");
    document_.open(ModelSource{"product.te",
                               [text]() -> Result<onnx::Source> {
                                 onnx::Source source(std::filesystem::path("product.te"));
                                 source.bytes = text;
                                 return source;
                               },
                               {},
                               "product.te"});
    ASSERT_TRUE(settled(document_));
    ASSERT_TRUE(document_.kernels().kernel());
  }

  template <class T>
  T* part(const char* name) {
    return view_.findChild<T*>(name);
  }
  std::string state() { return part<QLabel>("tuningState")->text().toStdString(); }
  const ShownRun& run() { return view_.runs().runs().back(); }
  void begin(int trials) {
    part<QSpinBox>("tuningTrials")->setValue(trials);
    ASSERT_TRUE(part<QPushButton>("tuningStart")->isEnabled());
    part<QPushButton>("tuningStart")->click();
    ASSERT_TRUE(view_.runs().is_working());
  }
  bool is_over() {
    return QTest::qWaitFor([&] { return !view_.runs().is_working(); }, patience);
  }
  bool has_trials(std::size_t count) {
    return QTest::qWaitFor([&] { return run().trials.size() >= count; }, patience);
  }

  Document document_;
  TuningView view_;
};

TEST_F(TuningViewTest, SaysWhatItWaitsFor) {
  EXPECT_THAT(state(), HasSubstr("Select a kernel"));
  EXPECT_FALSE(part<QPushButton>("tuningStart")->isEnabled());
  EXPECT_FALSE(part<QPushButton>("tuningStop")->isEnabled());
  EXPECT_FALSE(part<QPushButton>("trialUse")->isEnabled());
  open_product();
  EXPECT_TRUE(part<QPushButton>("tuningStart")->isEnabled());
}

TEST_F(TuningViewTest, FollowsARunAndUsesItsScript) {
  open_product();
  begin(12);
  EXPECT_FALSE(part<QPushButton>("tuningStart")->isEnabled()) << "one at a time";
  EXPECT_FALSE(part<QComboBox>("tuningSpace")->isEnabled());
  ASSERT_TRUE(is_over());
  EXPECT_EQ(run().state, RunState::Done) << run().problem;
  EXPECT_GE(run().trials.size(), 13u) << "the default, and as many as were asked for";
  EXPECT_EQ(part<QTableView>("trialTable")->model()->rowCount(),
            static_cast<int>(run().trials.size()));
  EXPECT_THAT(state(), HasSubstr("12 trials"));
  // The best is selected, and its script stands there.
  const ShownTrial& best = *run().best_trial();
  EXPECT_EQ(part<QPlainTextEdit>("trialScript")->toPlainText().toStdString(), best.script);
  EXPECT_TRUE(best.in_turns_ms.has_value());
  for (const ShownTrial& trial : run().trials)
    EXPECT_GE(trial.in_turns_ms.value_or(1e9), *best.in_turns_ms);
  ASSERT_TRUE(part<QPushButton>("trialUse")->isEnabled());
  part<QPushButton>("trialUse")->click();
  ASSERT_TRUE(settled(document_));
  ASSERT_NE(document_.own_schedule(), nullptr);
  EXPECT_EQ(document_.own_schedule()->script, best.script);
  document_.undo();
  EXPECT_EQ(document_.own_schedule(), nullptr);
  part<QPushButton>("trialEdit")->click();
  ASSERT_EQ(document_.drafts().size(), 1u);
  EXPECT_EQ(document_.drafts().begin()->second.script, best.script);
}

TEST_F(TuningViewTest, IsHeldGoesOnAndStops) {
  open_product();
  begin(100'000);
  ASSERT_TRUE(has_trials(4));
  part<QPushButton>("tuningPause")->click();
  ASSERT_TRUE(QTest::qWaitFor([&] { return run().state == RunState::Paused; }, patience));
  EXPECT_THAT(state(), HasSubstr("held"));
  QTest::qWait(400);  // what was being measured comes
  const std::size_t held = run().trials.size();
  QTest::qWait(600);
  EXPECT_EQ(run().trials.size(), held);
  part<QPushButton>("tuningPause")->click();
  ASSERT_TRUE(has_trials(held + 4));
  part<QPushButton>("tuningStop")->click();
  EXPECT_FALSE(view_.runs().is_working());
  EXPECT_EQ(run().state, RunState::Stopped);
  const std::size_t stopped = run().trials.size();
  QTest::qWait(500);
  EXPECT_EQ(run().trials.size(), stopped);
  EXPECT_TRUE(part<QPushButton>("trialUse")->isEnabled()) << "what was measured stays";
}

TEST_F(TuningViewTest, ComparesRuns) {
  open_product();
  for (const char* search : {"random", "droplet"}) {
    part<QComboBox>("tuningSearch")->setCurrentText(search);
    begin(4);
    ASSERT_TRUE(is_over());
  }
  EXPECT_EQ(view_.runs().runs().size(), 2u);
  EXPECT_EQ(part<QComboBox>("tuningRun")->count(), 2);
  EXPECT_EQ(part<QComboBox>("tuningRun")->currentIndex(), 1) << "the newest";
  auto* choice = part<QComboBox>("tuningRun");
  choice->setCurrentIndex(0);
  emit choice->activated(0);
  EXPECT_EQ(part<QPlainTextEdit>("trialScript")->toPlainText().toStdString(),
            view_.runs().runs()[0].best_trial()->script);
  view_.runs().forget();
  EXPECT_EQ(choice->count(), 0);
  EXPECT_TRUE(part<QPlainTextEdit>("trialScript")->toPlainText().isEmpty());
}

TEST_F(TuningViewTest, SaysWhereThereIsNothingToChoose) {
  auto text = std::make_shared<const std::string>("input X: float32[64]\nY[i] = X[i] * 2\n");
  document_.open(ModelSource{"twice.te",
                             [text]() -> Result<onnx::Source> {
                               onnx::Source source(std::filesystem::path("twice.te"));
                               source.bytes = text;
                               return source;
                             },
                             {},
                             "twice.te"});
  ASSERT_TRUE(settled(document_));
  begin(4);
  ASSERT_TRUE(is_over());
  EXPECT_EQ(run().state, RunState::Failed);
  EXPECT_THAT(state(), HasSubstr("nothing to choose"));
}

// A model that is closed meanwhile takes its run along.
TEST_F(TuningViewTest, EndsWithItsModel) {
  open_product();
  begin(100'000);
  ASSERT_TRUE(has_trials(2));
  document_.close();
  EXPECT_FALSE(view_.runs().is_working());
  EXPECT_TRUE(view_.runs().runs().empty());
  EXPECT_FALSE(part<QPushButton>("tuningStart")->isEnabled());
}

}  // namespace
}  // namespace loopglass::views
