// Another pipeline beside the one there is: timelines, networks, results.
#include "views/compare/compare_view.h"

#include "tests/views/opened.h"
#include "views/compare/aligned_model.h"
#include "views/widgets/command_bar.h"

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QTableView>

#include <gtest/gtest.h>

namespace loopglass::views {
namespace {

class CompareViewTest : public testing::Test {
 protected:
  CompareViewTest() : view_(&opened_.document) {
    view_.resize(800, 500);
    view_.show();
  }
  Document& document() { return opened_.document; }
  QPushButton& run() { return *view_.findChild<QPushButton*>("compareRun"); }
  QComboBox& box(const char* name) { return *view_.findChild<QComboBox*>(name); }
  QString label(const char* name) { return view_.findChild<QLabel*>(name)->text(); }
  QString command() { return view_.findChild<CommandBar*>()->command(); }
  void compare() {
    run().click();
    ASSERT_TRUE(settled(document()));
    ASSERT_TRUE(view_.result()) << label("workText").toStdString();
  }

  Opened opened_{"encoder"};
  CompareView view_;
};

TEST_F(CompareViewTest, APipelineWithoutOneOfItsPasses) {
  box("comparePass").setCurrentText("simplify");
  EXPECT_EQ(command(), "loopglassc compare encoder --toggle simplify");
  compare();
  EXPECT_TRUE(view_.result()->agree);
  EXPECT_FALSE(view_.result()->left.time) << "nobody asked for times";
  AlignedModel model;
  const QAbstractItemModelTester tester(&model);
  model.set_result(view_.result());
  ASSERT_EQ(model.rowCount(), static_cast<int>(view_.result()->steps.size()));
  int only_now = 0;
  for (int row = 0; row < model.rowCount(); ++row)
    if (model.index(row, AlignedModel::Same).data().toString() == "↔") {
      EXPECT_TRUE(model.index(row, AlignedModel::LeftPass).data().toString().contains("simplify") ||
                  model.index(row, AlignedModel::LeftPass).data().toString().contains("round") ||
                  model.index(row, AlignedModel::RightPass).data().toString().contains("round"));
      ++only_now;
    }
  EXPECT_GT(only_now, 0);
  EXPECT_TRUE(label("compareSummary").contains("without simplify"));
  EXPECT_TRUE(label("compareSummary").contains("✓"));
  // It can be asked for elsewhere, as text.
  EXPECT_EQ(view_.other_pipeline().find("simplify"), std::string::npos);
  EXPECT_NE(view_.other_pipeline().find("fold-constants"), std::string::npos);
}

TEST_F(CompareViewTest, AnotherPipelineMeasured) {
  box("compareHow").setCurrentIndex(1);
  box("comparePipeline").setCurrentText("none");
  view_.findChild<QCheckBox*>("compareMeasure")->setChecked(true);
  EXPECT_EQ(command(), "loopglassc compare encoder --against none --bench");
  compare();
  EXPECT_TRUE(view_.result()->left.time && view_.result()->right.time);
  EXPECT_EQ(view_.result()->right.history->steps.size(), 1u);
  const auto* sides = view_.findChild<QTableView*>("compareSides")->model();
  EXPECT_EQ(sides->index(0, SidesModel::Left).data().toString().toStdString(),
            std::to_string(document().history().last_graph()->nodes().size()));
  EXPECT_TRUE(label("compareSummary").contains("ms"));
}

TEST_F(CompareViewTest, ARowLeadsToItsStep) {
  compare();
  auto* table = view_.findChild<QTableView*>("compareSteps");
  emit table->clicked(table->model()->index(1, 0));
  ASSERT_TRUE(settled(document()));
  EXPECT_EQ(document().history().step(), 1u);
}

TEST_F(CompareViewTest, MistakesInThePipelineAreTold) {
  box("compareHow").setCurrentIndex(1);
  box("comparePipeline").setCurrentText("no-such-pass");
  EXPECT_FALSE(run().isEnabled());
  EXPECT_TRUE(label("compareProblem").contains("no-such-pass"));
}

}  // namespace
}  // namespace loopglass::views
