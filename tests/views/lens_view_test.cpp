// The tensor lens: values of what is selected, and where two places of the history part.
#include "views/lens/lens_view.h"

#include "tests/views/opened.h"
#include "views/widgets/command_bar.h"
#include "views/widgets/work_page.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QTreeWidget>

#include <gtest/gtest.h>

namespace loopglass::views {
namespace {

class LensViewTest : public testing::Test {
 protected:
  LensViewTest() : view_(&opened_.document) {
    view_.resize(420, 700);
    view_.show();
    deliver_posted();
  }
  Document& document() { return opened_.document; }
  const std::string& name_of(graph::ValueId id) {
    return document().history().graph()->value(id).name;
  }
  QString label(const char* name) { return view_.findChild<QLabel*>(name)->text(); }
  QString command() { return view_.findChild<CommandBar*>()->command(); }
  void compare_with_import() {
    document().history().pin_base(pass::Position{0});
    view_.findChild<QCheckBox*>("lensCompare")->setChecked(true);
  }

  Opened opened_{"encoder"};
  LensView view_;
};

TEST_F(LensViewTest, SaysWhatToDoWhileNothingIsSelected) {
  EXPECT_FALSE(view_.seen());
  EXPECT_TRUE(label("workText").contains("Select an edge")) << label("workText").toStdString();
}

TEST_F(LensViewTest, ShowsTheNumbersOfASelectedOperator) {
  const auto softmax = opened_.node("Softmax");
  document().selection().select_node(softmax->id);
  ASSERT_TRUE(eventually([&] { return view_.seen() != nullptr; }));
  const debug::Summary& summary = view_.seen()->here;
  EXPECT_EQ(summary.value, softmax->outputs[0]);
  EXPECT_GE(summary.minimum, 0);
  EXPECT_LE(summary.maximum, 1);
  EXPECT_EQ(summary.nan, 0);
  EXPECT_FALSE(view_.seen()->comparison) << "nobody asked for a comparison";
  EXPECT_TRUE(label("lensNumbers").contains("float32"));
  const auto last = document().history().recorded()->steps.size() - 1;
  EXPECT_EQ(command(), QString("loopglassc lens encoder %1 --at %2")
                           .arg(QString::fromStdString(name_of(softmax->outputs[0])))
                           .arg(last));
}

// An operator's inputs can be looked at too.
TEST_F(LensViewTest, AnInputOfTheOperatorIsAChoice) {
  const auto softmax = opened_.node("Softmax");
  document().selection().select_node(softmax->id);
  ASSERT_TRUE(eventually([&] { return view_.seen() != nullptr; }));
  auto* values = view_.findChild<QComboBox*>("lensValues");
  const int input = values->findData(softmax->inputs[0].value);
  ASSERT_GT(input, 0);
  EXPECT_TRUE(values->itemText(input).startsWith("←"));
  values->setCurrentIndex(input);
  emit values->activated(input);
  ASSERT_TRUE(
      eventually([&] { return view_.seen() && view_.seen()->here.value == softmax->inputs[0]; }));
}

TEST_F(LensViewTest, ComparesWithThePinnedPlace) {
  compare_with_import();
  document().selection().select_node(opened_.node("Softmax")->id);
  ASSERT_TRUE(eventually([&] { return view_.seen() && view_.seen()->comparison; }));
  const debug::Comparison& comparison = *view_.seen()->comparison;
  EXPECT_FALSE(comparison.first_divergence);
  EXPECT_TRUE(label("lensParting").contains("No value diverges"));
  EXPECT_TRUE(view_.seen()->there);
  EXPECT_TRUE(label("lensDifference").contains("✓"));
  EXPECT_TRUE(command().endsWith("--against 0")) << command().toStdString();

  // Rounding is listed, in the order of computation, and a row leads to its value.
  auto* rows = view_.findChild<QTreeWidget*>("lensDifferences");
  ASSERT_GT(rows->topLevelItemCount(), 0);
  EXPECT_TRUE(rows->topLevelItem(0)->text(0).startsWith("≈"));
  emit rows->itemClicked(rows->topLevelItem(0), 0);
  const auto* selected = std::get_if<SelectedValue>(&document().selection().current());
  ASSERT_TRUE(selected);
  EXPECT_TRUE(
      rows->topLevelItem(0)->text(0).endsWith(QString::fromStdString(selected->value->name)));
}

// What is worked on can be stopped, and asked for again.
TEST_F(LensViewTest, CanBeStoppedAndAskedAgain) {
  document().selection().select_node(opened_.node("Softmax")->id);
  auto* page = view_.findChild<WorkPage*>();
  ASSERT_TRUE(eventually([&] { return page->working(); }));
  view_.findChild<QPushButton*>("workStop")->click();
  ASSERT_TRUE(eventually([&] { return !page->working(); }));
  EXPECT_FALSE(view_.seen());
  view_.findChild<QPushButton*>("workAgain")->click();
  EXPECT_TRUE(eventually([&] { return view_.seen() != nullptr; }));
}

TEST_F(LensViewTest, WorksOnlyWhileItIsSeen) {
  view_.hide();
  document().selection().select_node(opened_.node("Softmax")->id);
  QTest::qWait(50);
  EXPECT_FALSE(document().jobs().busy("tensor lens"));
  view_.show();
  EXPECT_TRUE(eventually([&] { return view_.seen() != nullptr; }));
}

TEST_F(LensViewTest, AnotherModelIsForgotten) {
  document().selection().select_node(opened_.node("Softmax")->id);
  ASSERT_TRUE(eventually([&] { return view_.seen() != nullptr; }));
  document().close();
  deliver_posted();
  EXPECT_FALSE(view_.seen());
  EXPECT_TRUE(label("workText").contains("Open a model"));
}

}  // namespace
}  // namespace loopglass::views
