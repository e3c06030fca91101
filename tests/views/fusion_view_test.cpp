// The fusion pane: its two tables, their filter, and the strategy.
#include "views/fusion/fusion_view.h"

#include "tests/views/opened.h"
#include "views/fusion/decision_filter.h"
#include "views/fusion/decision_model.h"
#include "views/fusion/group_model.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QLineEdit>
#include <QTableView>

#include <gtest/gtest.h>

namespace loopglass::views {
namespace {

class FusionViewTest : public testing::Test {
 protected:
  FusionViewTest() : opened_("encoder"), view_(&opened_.document) {
    view_.resize(900, 600);
    view_.show();
  }
  Document& document() { return opened_.document; }
  QAbstractItemModel& rows() { return *view_.decision_table()->model(); }
  const fusion::Decision& decision_at(int row) {
    const auto* filter = static_cast<const DecisionFilter*>(&rows());
    const auto* model = static_cast<const DecisionModel*>(filter->sourceModel());
    return *model->decision(filter->mapToSource(rows().index(row, 0)).row());
  }

  Opened opened_;
  FusionView view_;
};

TEST_F(FusionViewTest, ModelsKeepTheRulesOfModels) {
  DecisionModel decisions;
  GroupModel groups;
  const QAbstractItemModelTester decision_tester(&decisions), group_tester(&groups);
  decisions.set_plan(document().plan(), document().last_graph());
  groups.set_plan(document().plan(), document().last_graph());
  EXPECT_EQ(decisions.rowCount(), static_cast<int>(document().plan()->decisions.size()));
  EXPECT_EQ(groups.rowCount(), static_cast<int>(document().plan()->groups.size()));
  decisions.set_plan(nullptr, nullptr);
  EXPECT_EQ(decisions.rowCount(), 0);
}

// A row says who, whom, the verdict in words, the code and the sentence.
TEST_F(FusionViewTest, EveryDecisionHasItsRow) {
  ASSERT_EQ(rows().rowCount(), static_cast<int>(document().plan()->decisions.size()));
  const fusion::Decision& first = decision_at(0);
  EXPECT_EQ(rows().index(0, DecisionModel::Verdict).data().toString(),
            first.fused ? "✓ fused" : "✕ apart");
  EXPECT_EQ(rows().index(0, DecisionModel::Reason).data().toString().toStdString(),
            fusion::name(first.reason));
  EXPECT_EQ(rows().index(0, DecisionModel::Sentence).data().toString().toStdString(),
            first.sentence);
}

TEST_F(FusionViewTest, FiltersByVerdictAndWords) {
  view_.findChildren<QComboBox*>().last()->setCurrentIndex(2);  // kept apart
  ASSERT_GT(rows().rowCount(), 0);
  for (int row = 0; row < rows().rowCount(); ++row) EXPECT_FALSE(decision_at(row).fused);
  view_.findChild<QLineEdit*>()->setText("softmax apart");
  ASSERT_GT(rows().rowCount(), 0);
  const graph::NodeId softmax = opened_.node("Softmax")->id;
  for (int row = 0; row < rows().rowCount(); ++row)
    EXPECT_TRUE(decision_at(row).producer == softmax || decision_at(row).consumer == softmax);
}

TEST_F(FusionViewTest, ARowSelectsItsEdge) {
  view_.decision_table()->selectRow(3);
  const auto* value = std::get_if<SelectedValue>(&document().selection().current());
  ASSERT_TRUE(value);
  EXPECT_EQ(value->value->id, decision_at(3).value);
}

TEST_F(FusionViewTest, AKernelRowSelectsTheGroup) {
  view_.group_table()->selectRow(2);
  EXPECT_EQ(document().selection().primary_group(), fusion::GroupId{2});
}

TEST_F(FusionViewTest, FollowsTheSelectionWithoutMakingOne) {
  const auto add = opened_.node("Add");
  document().selection().select_node(add->id);
  const auto* node = std::get_if<SelectedNode>(&document().selection().current());
  ASSERT_TRUE(node);
  EXPECT_EQ(node->node->id, add->id);
  const QModelIndex current = view_.group_table()->currentIndex();
  EXPECT_EQ(static_cast<std::uint32_t>(current.row()), document().plan()->group_of(add->id).value);
}

// With the strategy that fuses nothing every operator is a kernel of its own.
TEST_F(FusionViewTest, TheStrategyIsAChoice) {
  auto* strategy = view_.findChildren<QComboBox*>().first();
  const int none = strategy->findText("none");
  ASSERT_GE(none, 0);
  strategy->setCurrentIndex(none);
  emit strategy->activated(none);
  ASSERT_TRUE(settled(document()));
  EXPECT_EQ(view_.group_table()->model()->rowCount(),
            static_cast<int>(document().last_graph()->nodes().size()));
}

TEST(ReadableBytes, PicksTheUnit) {
  EXPECT_EQ(readable_bytes(512), "512 B");
  EXPECT_EQ(readable_bytes(1536), "1.5 KiB");
  EXPECT_EQ(readable_bytes(3211264), "3.1 MiB");
}

}  // namespace
}  // namespace loopglass::views
