// The roofline in the window: judged in the background, picture, table and card of one mind, and
// where a kernel stood before its schedule changed.
#include "views/roofline/roofline_view.h"

#include "samples/kernel_samples.h"
#include "tests/views/measured.h"
#include "views/roofline/roofline_chart.h"
#include "views/roofline/verdict_table.h"
#include "views/text.h"
#include "views/widgets/command_bar.h"

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QTest>
#include <QTextBrowser>

#include <gmock/gmock.h>

namespace loopglass::views {
namespace {

using ::testing::HasSubstr;

constexpr int patience = 60'000;  // milliseconds

class RooflineViewTest : public ::testing::Test {
 protected:
  RooflineViewTest() : document_(passes::toolchain(), options_with_workers()), view_(&document_) {
    view_.resize(1300, 500);
    view_.show();
  }

  void open_product() { views::open_product(document_, 64, 64); }
  QPushButton* button(const char* name) { return view_.findChild<QPushButton*>(name); }
  QString summary() { return view_.findChild<QLabel*>("rooflineSummary")->text(); }
  void judge(const char* name) {
    QTest::mouseClick(button(name), Qt::LeftButton);
    ASSERT_TRUE(document_.roofline().is_working());
    ASSERT_TRUE(QTest::qWaitFor([&] { return !document_.roofline().is_working(); }, patience));
    ASSERT_TRUE(settled(document_));
  }

  Document document_;
  RooflineView view_;
};

TEST_F(RooflineViewTest, SaysWhatIsMissingFirst) {
  EXPECT_FALSE(button("rooflineAll")->isEnabled());
  EXPECT_THAT(summary().toStdString(), HasSubstr("Open a model"));
  open_product();
  EXPECT_TRUE(button("rooflineAll")->isEnabled());
  EXPECT_THAT(summary().toStdString(), HasSubstr("Not measured yet"));
}

TEST_F(RooflineViewTest, PictureTableAndCardAreOfOneMind) {
  open_product();
  judge("rooflineAll");
  ASSERT_EQ(document_.roofline().kernels().size(), 1u) << summary().toStdString();
  const KernelVerdict& kernel = document_.roofline().kernels()[0].newest;
  auto* table = view_.findChild<VerdictTable*>("verdictTable");
  ASSERT_EQ(table->rowCount(), 1);
  EXPECT_EQ(table->item(0, VerdictTable::Kernel)->text(), text(kernel.kernel));
  EXPECT_THAT(table->item(0, VerdictTable::Bound)->text().toStdString(),
              HasSubstr(std::string(name(kernel.verdict.bound))));
  document_.selection().select_group(kernel.group);
  const std::string card =
      view_.findChild<QTextBrowser*>("verdictCard")->toPlainText().toStdString();
  EXPECT_THAT(card, HasSubstr(std::string(name(kernel.verdict.bound))));
  EXPECT_THAT(card, HasSubstr("Try: "));
  EXPECT_THAT(view_.findChild<CommandBar*>()->command().toStdString(),
              HasSubstr("loopglassc roofline product.te --kernel "));
  // Of each level there is a picture.
  for (int level = 0; level < 4; ++level) {
    view_.findChild<QComboBox*>("rooflineLevel")->setCurrentIndex(level);
    EXPECT_FALSE(view_.grab().isNull());
  }
  // With the keyboard, too.
  document_.selection().clear();
  auto* chart = view_.findChild<RooflineChart*>("rooflineChart");
  QTest::keyClick(chart, Qt::Key_Right);
  EXPECT_EQ(document_.selection().primary_group(), kernel.group);
}

TEST_F(RooflineViewTest, KeepsWhereAKernelStood) {
  open_product();
  judge("rooflineOne");
  ASSERT_EQ(document_.roofline().kernels().size(), 1u) << summary().toStdString();
  const double before = document_.roofline().kernels()[0].newest.verdict.milliseconds;
  document_.set_schedule("// as it stands\n");
  ASSERT_TRUE(settled(document_));
  judge("rooflineOne");
  const JudgedKernel& judged = document_.roofline().kernels()[0];
  ASSERT_EQ(judged.earlier.size(), 1u);
  EXPECT_EQ(judged.earlier[0].milliseconds, before);
  EXPECT_EQ(judged.newest.verdict.bound, roofline::Bound::Scalar) << judged.newest.verdict.sentence;
}

TEST_F(RooflineViewTest, ShowsTheTrailOfASchedule) {
  open_product();
  judge("rooflineSteps");
  ASSERT_EQ(document_.roofline().kernels().size(), 1u) << summary().toStdString();
  const KernelVerdict& kernel = document_.roofline().kernels()[0].newest;
  ASSERT_TRUE(kernel.trail);
  ASSERT_GT(kernel.trail->steps.size(), 3u);
  EXPECT_EQ(kernel.trail->steps.front().line, "as it is written");
  EXPECT_EQ(kernel.trail->steps.back().verdict, kernel.verdict);
  const std::string card =
      view_.findChild<QTextBrowser*>("verdictCard")->toPlainText().toStdString();
  EXPECT_THAT(card, HasSubstr("as it is written"));
  EXPECT_THAT(card, HasSubstr("vectorize("));
  EXPECT_THAT(view_.findChild<CommandBar*>()->command().toStdString(), HasSubstr(" --trail"));
  EXPECT_FALSE(view_.grab().isNull());
}

TEST_F(RooflineViewTest, StopsAndForgets) {
  open_product();
  QTest::mouseClick(button("rooflineAll"), Qt::LeftButton);
  QTest::mouseClick(button("rooflineStop"), Qt::LeftButton);
  EXPECT_FALSE(document_.roofline().is_working());
  EXPECT_TRUE(button("rooflineAll")->isEnabled());
  judge("rooflineAll");
  EXPECT_EQ(document_.roofline().kernels().size(), 1u);
  open_product();
  EXPECT_TRUE(document_.roofline().kernels().empty());
}

}  // namespace
}  // namespace loopglass::views
