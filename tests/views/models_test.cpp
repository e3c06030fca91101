// Item models keep Qt's contract, whatever they are given.
#include "core/graph/graph.h"
#include "views/bench/kernel_table.h"
#include "views/timeline/timeline_model.h"

#include <QAbstractItemModelTester>

#include <gtest/gtest.h>

namespace loopglass::views {
namespace {

using Mode = QAbstractItemModelTester::FailureReportingMode;

std::shared_ptr<const pass::GraphHistory> history_of(std::vector<pass::Step<graph::Graph>> steps) {
  const auto empty = std::make_shared<const graph::Graph>(*graph::GraphBuilder("empty").finish());
  auto history = std::make_shared<pass::GraphHistory>();
  for (auto& step : steps) {
    step.result = empty;
    history->steps.push_back(std::move(step));
  }
  return history;
}

std::shared_ptr<const pass::GraphHistory> three_steps() {
  using namespace std::chrono_literals;
  pass::Step<graph::Graph> input, fold, idle;
  input.pass.name = "input";
  fold.pass = {"fold-constants", "Computes what is known", "first, so that others see constants"};
  fold.changed = true;
  fold.duration = 1500us;
  fold.rewrites = {{"fold", {1, 2}, {3}, "shape1 is a constant"}, {"fold", {4}, {}, ""}};
  fold.remarks = {{pass::RemarkKind::Missed,
                   "FOLD_TOO_LARGE",
                   "big",
                   {{"elements", 1e9}},
                   "too large to fold"}};
  idle.pass.name = "remove-dead-code";
  return history_of({input, fold, idle});
}

TEST(TimelineModel, KeepsTheContractOfItemModels) {
  TimelineModel model;
  QAbstractItemModelTester tester(&model, Mode::Fatal);
  model.set_history(three_steps());
  model.set_position({1, 1});
  model.set_history(nullptr);
  EXPECT_EQ(model.rowCount(), 0);
}

TEST(TimelineModel, ListsStepsAndBelowThemRewritesThenRemarks) {
  TimelineModel model;
  model.set_history(three_steps());
  ASSERT_EQ(model.rowCount(), 3);
  const QModelIndex fold = model.index_of_step(1);
  EXPECT_EQ(model.rowCount(fold), 3);
  EXPECT_EQ(model.index(0, 0, fold).data().toString(), "1  fold:  #1, #2 → #3  (0.00 µs)");
  EXPECT_EQ(model.index(1, 0, fold).data().toString(), "2  fold:  #4 → nothing  (0.00 µs)");
  EXPECT_EQ(model.sentence(model.index(0, 0, fold)), "shape1 is a constant");
  EXPECT_EQ(model.index(2, 0, fold).data().toString(), "− big: too large to fold");
  EXPECT_EQ(fold.siblingAtColumn(TimelineModel::Time).data().toString(), "1.50 ms");
  EXPECT_EQ(TimelineModel::step_of(model.index(2, 0, fold)), 1u);
  ASSERT_NE(model.rewrite_at(model.index(0, 0, fold)), nullptr);
  EXPECT_EQ(model.rewrite_at(model.index(2, 0, fold)), nullptr) << "a remark is not a rewrite";
}

// The row of a rewrite is the place just after it; after the last one the step is whole.
TEST(TimelineModel, RowsArePlacesInTheHistory) {
  TimelineModel model;
  model.set_history(three_steps());
  const QModelIndex fold = model.index_of_step(1);
  EXPECT_EQ(model.place_of(model.index(0, 0, fold)), (pass::Position{1, 1}));
  EXPECT_EQ(model.place_of(model.index(1, 0, fold)), pass::Position{1});
  EXPECT_EQ(model.place_of(model.index(2, 0, fold)), pass::Position{1})
      << "a remark is about its step";
  EXPECT_EQ(model.index_of({1, 1}), model.index(0, 0, fold));
  EXPECT_EQ(model.index_of({1}), fold);
}

TEST(TimelineModel, NumbersTheRoundsOfFixedPointGroups) {
  pass::Step<graph::Graph> input, fold, again, last;
  input.pass.name = "input";
  fold.pass.name = again.pass.name = "fold-constants";
  again.round = 2;
  last.pass.name = "remove-dead-code";
  last.entry = 1;
  TimelineModel model;
  model.set_history(history_of({input, fold, again, last}));
  EXPECT_EQ(model.index_of_step(1).data().toString(), "1  fold-constants  ↻1");
  EXPECT_EQ(model.index_of_step(2).data().toString(), "2  fold-constants  ↻2");
  EXPECT_EQ(model.index_of_step(3).data().toString(), "3  remove-dead-code");
}

TEST(TimelineModel, StepsThatChangedNothingAreDimmed) {
  TimelineModel model;
  model.set_history(three_steps());
  EXPECT_FALSE(model.index_of_step(0).data(Qt::ForegroundRole).isValid());
  EXPECT_FALSE(model.index_of_step(1).data(Qt::ForegroundRole).isValid());
  EXPECT_TRUE(model.index_of_step(2).data(Qt::ForegroundRole).isValid());
}

TEST(KernelTable, KeepsTheContractOfItemModels) {
  KernelTable model;
  QAbstractItemModelTester tester(&model, Mode::Fatal);
  auto report = std::make_shared<runtime::BenchmarkReport>();
  runtime::KernelTiming slow, fast;
  slow.group = {0}, slow.name = "conv", slow.time.median_ms = 3;
  fast.group = {1}, fast.name = "relu", fast.time.median_ms = 1;
  report->kernels = {slow, fast};
  model.set_report(report, {"layer1.conv"});
  EXPECT_EQ(model.index(0, KernelTable::Layer).data().toString(), "layer1.conv");
  EXPECT_EQ(model.index(1, KernelTable::Layer).data().toString(), "");
  EXPECT_EQ(model.rowCount(), 2);
  EXPECT_EQ(model.index(0, KernelTable::Share).data().toString(), "75.0 %");
  EXPECT_EQ(model.row_of(fusion::GroupId{1}), 1);
  EXPECT_EQ(model.row_of(fusion::GroupId{9}), -1);
  model.set_report(nullptr, {});
  EXPECT_EQ(model.rowCount(), 0);
}

}  // namespace
}  // namespace loopglass::views
