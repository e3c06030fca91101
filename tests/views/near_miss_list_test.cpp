// Near misses in the fusion pane: the list, and the changes that it proposes.
#include "views/fusion/near_miss_list.h"
#include "core/runtime/memory_budget.h"
#include "tests/views/fusion_fixture.h"
#include "views/widgets/command_bar.h"

#include <QLabel>
#include <QPushButton>
#include <QTabWidget>

#include <gtest/gtest.h>

namespace loopglass::views {
namespace {

class NearMissTest : public FusionViewTest {
 protected:
  NearMissTest() {
    view_.tabs()->setCurrentIndex(FusionView::NearMisses);
    list_ = view_.findChild<NearMissList*>();
    EXPECT_TRUE(eventually([&] { return !list_->misses().empty(); }));
    table_ = list_->findChild<QTableView*>("nearMisses");
  }
  const fusion::Decision& decision_of(const fusion::NearMiss& miss) {
    return document().fusion().plan()->decisions[miss.decision];
  }
  NearMissList* list_ = nullptr;
  QTableView* table_ = nullptr;
};

// The same list as loopglassc fuse --near-misses, in its order; it sorts as one likes.
TEST_F(NearMissTest, WhatSavesMostComesFirst) {
  const auto expected =
      fusion::near_misses(fusion::BlockRules(*document().history().last_graph()),
                          *document().fusion().plan(), *document().session()->cost_model())
          .value();
  ASSERT_EQ(list_->misses().size(), expected.size());
  ASSERT_EQ(table_->model()->rowCount(), static_cast<int>(expected.size()));
  const auto cell = [&](int row, int column) {
    return table_->model()->index(row, column).data().toString().toStdString();
  };
  for (int row = 0; row < table_->model()->rowCount(); ++row) {
    const fusion::NearMiss& miss = expected[static_cast<std::size_t>(row)];
    EXPECT_EQ(cell(row, 3), runtime::readable_bytes(miss.saved_bytes));
    EXPECT_EQ(cell(row, 4), fusion::name(decision_of(miss).reason));
    EXPECT_EQ(cell(row, 5), miss.change.sentence);
  }
  table_->sortByColumn(3, Qt::AscendingOrder);
  const auto least = std::ranges::min_element(expected, {}, &fusion::NearMiss::saved_bytes);
  EXPECT_EQ(cell(0, 3), runtime::readable_bytes(least->saved_bytes));
  EXPECT_TRUE(view_.findChild<CommandBar*>()->command().contains("--near-misses 10"));
}

// Of a tensor that several read it is the edge of the row, not the first.
TEST_F(NearMissTest, EachRowIsTheDecisionThatIsShown) {
  for (int row = 0; row < table_->model()->rowCount(); ++row) {
    table_->selectRow(row);
    const fusion::Decision& wanted = decision_of(list_->misses()[static_cast<std::size_t>(row)]);
    const QModelIndex shown = view_.decision_table()->currentIndex();
    ASSERT_TRUE(shown.isValid());
    const auto name = [&](graph::NodeId id) {
      return QString::fromStdString(document().history().last_graph()->node(id).name);
    };
    EXPECT_EQ(shown.siblingAtColumn(DecisionModel::Producer).data().toString(),
              name(wanted.producer));
    EXPECT_EQ(shown.siblingAtColumn(DecisionModel::Consumer).data().toString(),
              name(wanted.consumer));
  }
}

TEST_F(NearMissTest, ARowSelectsItsEdge) {
  table_->selectRow(1);
  const auto* value = std::get_if<SelectedValue>(&document().selection().current());
  ASSERT_TRUE(value);
  EXPECT_EQ(value->value->id,
            document().fusion().plan()->decisions[list_->misses()[1].decision].value);
  EXPECT_TRUE(list_->findChild<QLabel*>("nearMissDetail")->text().contains("Smallest change"));
}

// What a near miss proposes can be done, and the edge is then fused.
TEST_F(NearMissTest, TheChangeCanBeMade) {
  ASSERT_FALSE(list_->misses().front().change.recipe.empty());
  const fusion::Decision decision = decision_of(list_->misses().front());
  table_->selectRow(0);
  list_->findChild<QPushButton*>("nearMissChange")->click();
  ASSERT_TRUE(settled(document()));
  ASSERT_FALSE(document().plan_refusal()) << document().plan_refusal()->what;
  EXPECT_EQ(document().fusion().plan()->group_of(decision.producer),
            document().fusion().plan()->group_of(decision.consumer));
  EXPECT_TRUE(!document().constraints().empty() || !document().edits().edits.empty());
}

// What saves no time stands behind what does, and the list says so.
TEST_F(NearMissTest, WhatGainsNothingComesLast) {
  const auto& misses = list_->misses();
  const auto first_idle = std::ranges::find_if_not(misses, fusion::saves_time);
  EXPECT_TRUE(std::none_of(first_idle, misses.end(), fusion::saves_time));
  const auto idle = misses.end() - first_idle;
  const QString said = list_->findChild<QLabel*>("nearMissCount")->text();
  EXPECT_EQ(said.contains("save no time") || said.contains("estimated to save time"), idle > 0)
      << said.toStdString();
  if (idle > 0 && idle < std::ssize(misses)) {
    EXPECT_TRUE(said.contains(QString("last %1").arg(idle))) << said.toStdString();
  }
}

TEST(NearMissListTest, WhereEverythingIsFusedItSaysSo) {
  Opened opened("mlp");
  NearMissList list(&opened.document);
  list.show();
  const auto said = [&] { return list.findChild<QLabel*>("workText")->text(); };
  ASSERT_TRUE(
      eventually([&] { return !list.misses().empty() || said().contains("no near misses"); }));
  const auto apart = std::ranges::count_if(opened.document.fusion().plan()->decisions,
                                           [](auto& decision) { return !decision.fused; });
  EXPECT_EQ(list.misses().empty(), apart == 0);
}

}  // namespace
}  // namespace loopglass::views
