// Tuning in the window: a run is begun, followed, held, stopped; its scripts are used and edited.
#include "views/tuning/tuning_view.h"

#include "core/tune/winner.h"
#include "samples/kernel_samples.h"
#include "tests/views/measured.h"
#include "views/text.h"
#include "views/tuning/kernel_shares.h"
#include "views/tuning/knob_chart.h"
#include "views/tuning/lineage.h"
#include "views/tuning/trial_table.h"
#include "views/tuning/tuning_chart.h"
#include "views/widgets/command_bar.h"

#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSlider>
#include <QSpinBox>
#include <QTableView>
#include <QTableWidget>
#include <QTest>
#include <QTimer>
#include <QToolButton>

#include <gmock/gmock.h>
#include <unistd.h>
#include <fstream>

namespace loopglass::views {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int run_patience = 60'000;  // milliseconds

class TuningViewTest : public ::testing::Test {
 protected:
  TuningViewTest() : document_(passes::toolchain(), options_with_workers()), view_(&document_) {
    view_.resize(1200, 400);
    view_.show();
  }

  void open_product() { views::open_product(document_, 48, 32); }

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
  std::string command() { return view_.findChild<CommandBar*>()->command().toStdString(); }
  bool is_over() {
    return QTest::qWaitFor([&] { return !view_.runs().is_working(); }, run_patience);
  }
  bool has_trials(std::size_t count) {
    const auto& runs = view_.runs().runs();
    return QTest::qWaitFor([&] { return !runs.empty() && run().trials.size() >= count; },
                           run_patience);
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
  EXPECT_THAT(command(), HasSubstr("loopglassc tune product.te --kernel "));
  EXPECT_THAT(command(), HasSubstr(" --trials 12"));
  // The best is selected, and its script stands there.
  const ShownTrial& best = *run().best_trial();
  EXPECT_EQ(part<QPlainTextEdit>("trialScript")->toPlainText().toStdString(), best.script);
  std::vector<tune::FinalTime> final;  // empty: each is slower, or the default schedule's code
  for (const ShownTrial& trial : run().trials)
    final.push_back({trial.number, trial.in_turns_ms.value_or(INFINITY)});
  EXPECT_EQ(tune::winner(final).value_or(0), static_cast<std::size_t>(run().best));
  ASSERT_TRUE(part<QPushButton>("trialUse")->isEnabled());
  auto* table = part<QTableView>("trialTable");
  const auto row_of = [&](int number) {
    for (int row = 0; row < table->model()->rowCount(); ++row)
      if (table->model()->index(row, TrialTable::Number).data().toInt() == number) return row;
    return -1;
  };
  const auto use = [&](const ShownTrial& trial) {
    table->selectRow(row_of(trial.number));
    part<QPushButton>("trialUse")->click();
    ASSERT_TRUE(settled(document_));
    EXPECT_TRUE(table->model()
                    ->index(row_of(trial.number), TrialTable::How)
                    .data()
                    .toString()
                    .startsWith("in use"))
        << "the row says so";
  };
  const auto other = std::ranges::find_if(run().trials, [](const ShownTrial& trial) {
    return trial.number > 0 && trial.failure.empty() && !trial.script.empty();
  });
  ASSERT_NE(other, run().trials.end());
  use(*other);
  ASSERT_NE(document_.own_schedule(), nullptr);
  EXPECT_EQ(document_.own_schedule()->script, other->script);
  use(run().trials.front());
  EXPECT_EQ(document_.own_schedule(), nullptr) << "the default schedule is nobody's own";
  document_.undo();
  document_.undo();
  EXPECT_EQ(document_.own_schedule(), nullptr);
  table->selectRow(row_of(best.number));
  part<QPushButton>("trialEdit")->click();
  ASSERT_EQ(document_.drafts().size(), 1u);
  EXPECT_EQ(document_.drafts().begin()->second.script, best.script);
}

TEST_F(TuningViewTest, IsHeldGoesOnAndStops) {
  open_product();
  begin(100'000);
  ASSERT_TRUE(has_trials(4));
  part<QPushButton>("tuningPause")->click();
  ASSERT_TRUE(QTest::qWaitFor([&] { return run().state == RunState::Paused; }, run_patience));
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
  auto text = std::make_shared<const std::string>("input X: float32[5]\nY[i] = X[i] * 2\n");
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
  EXPECT_TRUE(view_.runs().runs().empty()) << "nothing was tried";
  EXPECT_THAT(state(), HasSubstr("nothing to choose"));
}

TEST_F(TuningViewTest, KeepsTrialsForAnotherDay) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) /
                                       ("loopglass-tuning-" + std::to_string(::getpid()));
  view_.runs().keep_in(folder);
  open_product();
  begin(12);
  ASSERT_TRUE(is_over());
  const ShownRun before = run();
  {
    TuningView again(&document_, folder);
    ASSERT_TRUE(QTest::qWaitFor([&] { return !again.runs().runs().empty(); }, run_patience));
    const ShownRun& recalled = again.runs().runs().front();
    ASSERT_EQ(recalled.trials.size(), before.trials.size());
    EXPECT_EQ(recalled.best, before.best);
    EXPECT_EQ(recalled.measured(), before.measured());
    EXPECT_EQ(recalled.settings.search, before.settings.search);
    EXPECT_TRUE(recalled.sketches);
    for (std::size_t t = 0; t < before.trials.size(); ++t) {
      EXPECT_EQ(recalled.trials[t].script, before.trials[t].script);
      EXPECT_EQ(recalled.trials[t].point, before.trials[t].point);
      EXPECT_EQ(recalled.trials[t].round, before.trials[t].round);
      EXPECT_EQ(recalled.trials[t].in_turns_ms, before.trials[t].in_turns_ms);
    }
    // To a file, and from it to a window that has kept nothing.
    const std::filesystem::path file = folder / "saved.jsonl";
    ASSERT_TRUE(again.runs().save_records(file, before.workload));
    TuningView elsewhere(&document_);
    const auto come = elsewhere.runs().open_records(file);
    ASSERT_TRUE(come) << to_string(come.error());
    EXPECT_EQ(*come, 1u);
    EXPECT_EQ(elsewhere.runs().open_records(file).value(), 0u) << "it is there already";
    EXPECT_FALSE(elsewhere.runs().open_records(folder / "nowhere"));
    // What was opened, and what was pinned, is there on another day.
    const std::filesystem::path kept = folder / "kept";
    const std::vector<tune::KnobRule> rules{{tune::KnobRule::Kind::Pin, "tile", "4 x 16"},
                                            {tune::KnobRule::Kind::Forbid, "unroll", "2"}};
    {
      TuningView one_day(&document_, kept);
      EXPECT_EQ(one_day.runs().open_records(file).value(), 1u);
      ASSERT_TRUE(one_day.runs().steer(before.workload, before.kernel, rules));
    }
    TuningView another_day(&document_, kept);
    ASSERT_TRUE(QTest::qWaitFor([&] { return !another_day.runs().runs().empty(); }, run_patience));
    EXPECT_EQ(another_day.runs().runs().front().trials.size(), before.trials.size());
    EXPECT_EQ(another_day.runs().wishes().of(before.workload).rules, rules);
    // Every kernel by the best of a file, as --records has it.
    QString told;
    again.runs().schedule_by_records(file, [&](const QString& words) { told = words; });
    ASSERT_TRUE(QTest::qWaitFor([&] { return !told.isEmpty(); }, run_patience));
    EXPECT_EQ(told.toStdString(), "1 of 1 kernel scheduled by these records.");
    ASSERT_TRUE(settled(document_));
    ASSERT_NE(document_.own_schedule(), nullptr);
    EXPECT_EQ(document_.own_schedule()->script, before.best_trial()->script);
    document_.undo();
    again.runs().forget();
    EXPECT_TRUE(again.runs().runs().empty());
  }
  TuningView later(&document_, folder);
  QTest::qWait(300);
  EXPECT_TRUE(later.runs().runs().empty()) << "what was forgotten stays so";
  std::filesystem::remove_all(folder);
}

// The kernels of a network come back together, with what was found for them.
TEST_F(TuningViewTest, KeepsNetworksForAnotherDay) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) /
                                       ("loopglass-networks-" + std::to_string(::getpid()));
  view_.runs().keep_in(folder);
  document_.open(sample_source("mlp"));
  ASSERT_TRUE(settled(document_));
  part<QSpinBox>("tuningTrials")->setValue(4);
  part<QPushButton>("tuningStartAll")->click();
  ASSERT_TRUE(is_over());
  const auto before = view_.runs().last_network();
  ASSERT_GE(before.size(), 2u);
  {
    TuningView again(&document_, folder);
    ASSERT_TRUE(
        QTest::qWaitFor([&] { return !again.runs().last_network().empty(); }, run_patience));
    const auto after = again.runs().last_network();
    ASSERT_EQ(after.size(), before.size());
    const auto has_times = [](const ShownRun* run) { return run->network.has_value(); };
    EXPECT_EQ(std::ranges::any_of(after, has_times), std::ranges::any_of(before, has_times));
    for (const ShownRun* run : before) {
      const auto same = std::ranges::find(after, run->workload, &ShownRun::workload);
      ASSERT_NE(same, after.end());
      EXPECT_EQ((*same)->best, run->best);
      EXPECT_EQ((*same)->trials.size(), run->trials.size());
      EXPECT_EQ((*same)->nest, run->nest);
    }
    again.runs().forget();
  }
  TuningView later(&document_, folder);
  QTest::qWait(300);
  EXPECT_TRUE(later.runs().last_network().empty()) << "what was forgotten stays so";
  std::filesystem::remove_all(folder);
}

// A value that is pinned is the only one that is tried from then on.
TEST_F(TuningViewTest, IsSteered) {
  open_product();
  begin(100'000);
  ASSERT_TRUE(has_trials(10));
  ASSERT_TRUE(run().sketches);
  const ShownSketch& sketch = run().sketches->front();
  const auto knob = std::ranges::max_element(
      sketch.knobs, {}, [](const tune::Knob& other) { return other.values.size(); });
  ASSERT_GT(knob->values.size(), 1u);
  const std::string value = knob->values[1];
  const auto choose_of = [&](const char* action, const std::string& knob,
                             const std::string& value) {
    QTimer::singleShot(200, [action] {
      auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
      ASSERT_NE(menu, nullptr);
      for (QAction* offered : menu->actions())
        if (offered->text().contains(action)) menu->setActiveAction(offered);
      QTest::keyClick(menu, Qt::Key_Return);
    });
    emit part<KnobChart>("knobChart")->valueChosen(knob, value, QPoint(10, 10));
  };
  choose_of("Pin", knob->name, value);
  const auto obeys = [&] { return !run().rules.empty(); };
  if (!QTest::qWaitFor(obeys, run_patience)) FAIL() << run().problem;
  const std::size_t before = run().trials.size();
  const int round = run().rounds();
  ASSERT_TRUE(has_trials(before + 12) || !view_.runs().is_working());
  const auto place = static_cast<std::size_t>(knob - sketch.knobs.begin());
  for (const ShownTrial& trial : run().trials) {
    if (trial.round <= round || !trial.point || trial.point->sketch != 0) continue;
    EXPECT_EQ(sketch.knobs[place].values[static_cast<std::size_t>(trial.point->choices[place])],
              value);
  }
  EXPECT_TRUE(part<QWidget>("steeringBar")->isVisible());
  EXPECT_THAT(command(), HasSubstr("--pin"));
  part<QToolButton>("steeringRule")->click();
  EXPECT_FALSE(part<QWidget>("steeringBar")->isVisible());
  // What would leave nothing is not taken.
  const auto unroll = std::ranges::find(sketch.knobs, "unroll", &tune::Knob::name);
  ASSERT_NE(unroll, sketch.knobs.end());
  for (const std::string& each : unroll->values) choose_of("Forbid", unroll->name, each);
  EXPECT_THAT(part<QLabel>("tuningSaid")->text().toStdString(), HasSubstr("nothing is left"));
  std::size_t bans = 0;
  for (auto at = command().find("--ban"); at != std::string::npos;
       at = command().find("--ban", at + 1))
    ++bans;
  EXPECT_EQ(bans, unroll->values.size() - 1);
  part<QPushButton>("tuningStop")->click();
}

// All kernels are tuned by the rules of each, also by those of another day, and the command says
// so.
TEST_F(TuningViewTest, NetworksObeyTheRulesOfEachKernel) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) /
                                       ("loopglass-obeyed-" + std::to_string(::getpid()));
  view_.runs().keep_in(folder);
  document_.open(sample_source("mlp"));
  ASSERT_TRUE(settled(document_));
  part<QSpinBox>("tuningTrials")->setValue(6);
  part<QPushButton>("tuningStartAll")->click();
  ASSERT_TRUE(is_over());
  EXPECT_THAT(command(), Not(HasSubstr("--pin")));
  const ShownRun first = *view_.runs().last_network().front();
  ASSERT_TRUE(first.sketches);
  const ShownSketch& sketch = first.sketches->front();
  const auto knob = std::ranges::max_element(
      sketch.knobs, {}, [](const tune::Knob& other) { return other.values.size(); });
  const tune::KnobRule rule{tune::KnobRule::Kind::Pin, knob->name, knob->values.back()};
  ASSERT_TRUE(view_.runs().steer(first.workload, first.kernel, {rule}));
  part<QPushButton>("tuningStartAll")->click();
  ASSERT_TRUE(is_over());
  for (const ShownRun* run : view_.runs().last_network()) {
    const bool is_steered = run->workload == first.workload;
    EXPECT_EQ(run->rules.size(), is_steered ? 1u : 0u) << run->kernel;
    for (const ShownTrial& trial : run->trials)
      if (is_steered && trial.point && trial.point->sketch == 0)
        EXPECT_EQ(knob->values[static_cast<std::size_t>(
                      trial.point->choices[static_cast<std::size_t>(knob - sketch.knobs.begin())])],
                  rule.value);
  }
  EXPECT_THAT(command(),
              AllOf(HasSubstr("--pin"), HasSubstr(first.kernel + ":" + rule.knob + "=")));
  TuningView another_day(&document_, folder);
  ASSERT_TRUE(
      QTest::qWaitFor([&] { return !another_day.runs().wishes().named().empty(); }, run_patience));
  const std::vector<KernelWish> kept = another_day.runs().wishes().named();
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept.front().kernel, first.kernel);
  EXPECT_EQ(kept.front().rules, std::vector{rule});
  std::filesystem::remove_all(folder);
}

TEST_F(TuningViewTest, TriesAScriptOfOnesOwn) {
  open_product();
  EXPECT_FALSE(part<QPushButton>("trialTryOwn")->isEnabled());
  const std::string own = "i, j, k = loops(C)\nvectorize(j)\n";
  document_.set_schedule("C = block(\"C\")\n" + own);
  ASSERT_TRUE(settled(document_));
  ASSERT_TRUE(part<QPushButton>("trialTryOwn")->isEnabled());
  part<QSpinBox>("tuningTrials")->setValue(4);
  part<QPushButton>("trialTryOwn")->click();
  ASSERT_TRUE(is_over());
  ASSERT_GE(run().trials.size(), 2u) << run().problem;
  EXPECT_EQ(run().trials[1].how, "a script of one's own");
  EXPECT_THAT(run().trials[1].script, HasSubstr("vectorize(j)"));
  EXPECT_THAT(command(), Not(HasSubstr("--try"))) << "nothing is kept here";
}

// The foot's command names a file that has it.
TEST_F(TuningViewTest, LeavesACommandForAScriptOfOnesOwn) {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / ("loopglass-own-" + std::to_string(::getpid()));
  view_.runs().keep_in(folder);
  open_product();
  document_.set_schedule("C = block(\"C\")\ni, j, k = loops(C)\nvectorize(j)\n");
  ASSERT_TRUE(settled(document_));
  part<QSpinBox>("tuningTrials")->setValue(2);
  part<QPushButton>("trialTryOwn")->click();
  ASSERT_TRUE(is_over());
  const std::string said = command();
  const auto at = said.find("--try ");
  ASSERT_NE(at, std::string::npos) << said;
  std::ifstream file(said.substr(at + 6));
  const std::string script{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(script, HasSubstr("vectorize(j)"));
  std::filesystem::remove_all(folder);
}

TEST_F(TuningViewTest, GoesBackOverRounds) {
  open_product();
  begin(24);
  ASSERT_TRUE(is_over());
  ASSERT_GE(run().rounds(), 2);
  auto* slider = part<QSlider>("roundSlider");
  EXPECT_EQ(slider->value(), slider->maximum()) << "all of them";
  slider->setValue(1);
  int in_round = 0;
  for (const ShownTrial& trial : run().trials) in_round += trial.round == 1;
  EXPECT_EQ(part<QTableView>("trialTable")->model()->rowCount(), in_round);
  EXPECT_THAT(part<QLabel>("roundWords")->text().toStdString(), HasSubstr("round 1 of"));
  slider->setValue(slider->maximum());
  EXPECT_EQ(part<QTableView>("trialTable")->model()->rowCount(),
            static_cast<int>(run().trials.size()));
  // Whoever has a parent has a lineage back to one that has none.
  for (int t = 0; t < std::ssize(run().trials); ++t) {
    const std::vector<int> chain = lineage_of(run(), t);
    ASSERT_FALSE(chain.empty());
    EXPECT_EQ(chain.front(), t);
    EXPECT_TRUE(run().trials[static_cast<std::size_t>(chain.back())].parents.empty());
  }
}

TEST_F(TuningViewTest, ShowsWhichKernelsGetTrials) {
  document_.open(sample_source("mlp"));
  ASSERT_TRUE(settled(document_));
  part<QSpinBox>("tuningTrials")->setValue(4);
  part<QPushButton>("tuningStartAll")->click();
  ASSERT_TRUE(is_over());
  const auto kernels = view_.runs().last_network();
  ASSERT_GE(kernels.size(), 2u);
  EXPECT_EQ(command(), "loopglassc tune mlp --trials 4");
  auto* shares = part<QTableWidget>("kernelShares");
  // Behind the kernels, all of them, and the network as it ran without and with what was found, if
  // anything was.
  const int row = static_cast<int>(kernels.size()) + 1;
  const bool has_run = std::ranges::any_of(
      kernels, [](const ShownRun* run) { return run->is_withdrawn || run->best > 0; });
  ASSERT_EQ(shares->rowCount(), row + has_run);
  if (has_run) {
    EXPECT_EQ(shares->item(row, KernelShares::Kernel)->text(), "the network");
    EXPECT_GE(shares->item(row, KernelShares::Faster)->text(), "1.00x");
  }
  for (const ShownRun* run : kernels) EXPECT_EQ(run->state, RunState::Done);
  part<QPushButton>("tuningUseAll")->click();
  ASSERT_TRUE(settled(document_));
  std::size_t found = 0;
  for (const ShownRun* run : kernels) found += run->best_trial()->number > 0;
  EXPECT_EQ(document_.asked().schedules.size(), found);
  const auto* said = part<QLabel>("tuningSaid");
  EXPECT_THAT(said->text().toStdString(),
              HasSubstr(found == 0 ? "Nothing that was found" : "scheduled by what was found"));
  if (found == 0) return;
  document_.undo();
  ASSERT_TRUE(settled(document_));
  EXPECT_TRUE(said->text().isEmpty()) << "that is taken back";
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
