// The memory pane: what it shows, and that choosing a buffer and selecting elsewhere are one thing.
#include "views/memory/memory_view.h"

#include "tests/views/opened.h"
#include "views/memory/memory_chart.h"
#include "views/theme.h"

#include <QLabel>
#include <QScrollBar>
#include <QStackedWidget>

#include <gtest/gtest.h>

namespace loopglass::views {
namespace {

class MemoryViewTest : public testing::Test {
 protected:
  void open(const char* sample, MemoryView& view) {
    document_.open(sample_source(sample));
    view.resize(1000, 500);
    view.show();
    ASSERT_TRUE(settled(document_));
    ASSERT_TRUE(document_.memory().plan()) << "the sample " << sample << " has no memory plan";
  }
  MemoryChart& chart(MemoryView& view) { return *view.findChild<MemoryChart*>(); }
  Selection& selection() { return document_.selection(); }
  graph::ValueId selected_value() {
    const auto* value = std::get_if<SelectedValue>(&selection().current());
    return value ? value->value->id : graph::ValueId();
  }

  Document document_{passes::toolchain()};
};

TEST_F(MemoryViewTest, SaysWhyThereIsNothingUntilThereIs) {
  MemoryView view(&document_);
  view.show();
  auto* pages = view.findChild<QStackedWidget*>();
  EXPECT_EQ(pages->currentIndex(), 0);
  EXPECT_TRUE(pages->findChild<QLabel*>("stageMessage")->text().contains("Open a model"));
  open("lenet", view);
  EXPECT_EQ(pages->currentIndex(), 1);
  const auto* summary = view.findChild<QLabel*>("memorySummary");
  EXPECT_TRUE(summary->text().contains("7 intermediates of 9 kernels"))
      << summary->text().toStdString();
  EXPECT_TRUE(summary->text().contains("1 aliased"));  // the flattened image
  EXPECT_TRUE(summary->text().contains("lower bound"));
  document_.close();
  EXPECT_EQ(pages->currentIndex(), 0);
}

TEST_F(MemoryViewTest, SaysThatAnEarlierStepHasNoPlanOfItsOwn) {
  MemoryView view(&document_);
  open("lenet", view);
  const auto* summary = view.findChild<QLabel*>("memorySummary");
  EXPECT_FALSE(summary->text().contains("after all steps"));
  document_.history().set_step(0);
  ASSERT_TRUE(settled(document_));
  EXPECT_TRUE(summary->text().endsWith("; after all steps, not at step 0"))
      << summary->text().toStdString();
}

TEST_F(MemoryViewTest, SaysThatItIsMoreThanTheLimit) {
  MemoryView view(&document_);
  open("lenet", view);
  const auto* summary = view.findChild<QLabel*>("memorySummary");
  EXPECT_FALSE(summary->text().contains("limit"));
  document_.set_settings({.memory_limit = 1 << 10});
  ASSERT_TRUE(settled(document_));
  ASSERT_TRUE(QTest::qWaitFor([&] { return document_.memory().plan() != nullptr; }));
  EXPECT_TRUE(summary->text().contains("more than the limit of 1 KiB"))
      << summary->text().toStdString();
}

// Planning schedules every kernel: nobody pays for a pane that is not shown.
TEST_F(MemoryViewTest, PlansOnlyWhenItIsSeen) {
  MemoryView view(&document_);
  document_.open(sample_source("mlp"));
  ASSERT_TRUE(settled(document_));
  EXPECT_EQ(document_.state(Stage::Memory), StageState::Empty);
  view.show();
  ASSERT_TRUE(settled(document_));
  EXPECT_EQ(document_.state(Stage::Memory), StageState::Ready);
}

TEST_F(MemoryViewTest, AClickOnARectangleSelectsItsValueAndTheKernelThatWritesIt) {
  MemoryView view(&document_);
  open("lenet", view);
  MemoryChart& chart = this->chart(view);
  const auto& buffer = document_.memory().plan()->buffers[2];
  const QPoint at = chart.rectangle(2).center().toPoint();
  ASSERT_EQ(chart.buffer_at(at), 2u);
  QTest::mouseClick(chart.viewport(), Qt::LeftButton, {}, at);
  EXPECT_EQ(selected_value(), buffer.value);
  EXPECT_TRUE(selection().highlighted_groups().contains(
      fusion::GroupId{static_cast<std::uint32_t>(buffer.first)}));
}

TEST_F(MemoryViewTest, AClickBesideRectanglesSelectsTheKernel) {
  MemoryView view(&document_);
  open("lenet", view);
  MemoryChart& chart = this->chart(view);
  // Above the last kernels, which need little.
  const std::size_t last = document_.memory().plan()->buffers.size() - 1;
  const QPointF at(chart.rectangle(last).center().x(), 40);
  ASSERT_FALSE(chart.buffer_at(at));
  QTest::mouseClick(chart.viewport(), Qt::LeftButton, {}, at.toPoint());
  EXPECT_TRUE(std::holds_alternative<SelectedGroup>(selection().current()));
}

TEST_F(MemoryViewTest, TheKeyboardReachesEveryBuffer) {
  MemoryView view(&document_);
  open("lenet", view);
  MemoryChart& chart = this->chart(view);
  chart.setFocus();
  const auto& buffers = document_.memory().plan()->buffers;
  for (std::size_t b = 0; b < buffers.size(); ++b) {
    QTest::keyClick(&chart, Qt::Key_Right);
    EXPECT_EQ(selected_value(), buffers[b].value);
  }
  QTest::keyClick(&chart, Qt::Key_Home);
  EXPECT_EQ(selected_value(), buffers.front().value);
  QTest::keyClick(&chart, Qt::Key_Up);
  EXPECT_NE(selected_value(), buffers.front().value);
  QTest::keyClick(&chart, Qt::Key_End);
  EXPECT_EQ(selected_value(), buffers.back().value);
}

// Selecting a node elsewhere marks what its kernel writes.
TEST_F(MemoryViewTest, ASelectionElsewhereIsMarked) {
  MemoryView view(&document_);
  open("lenet", view);
  MemoryChart& chart = this->chart(view);
  const auto picture = [&] { return chart.viewport()->grab().toImage(); };
  selection().clear();
  const QImage before = picture();
  const auto& buffer = document_.memory().plan()->buffers[1];
  selection().select_node(document_.history().last_graph()->value(buffer.value).producer);
  const QImage after = picture();
  EXPECT_NE(before, after);
  const QPoint border = chart.rectangle(1).topLeft().toPoint() + QPoint(0, 8);
  EXPECT_EQ(after.pixelColor(border * after.devicePixelRatio()), theme().mark);
}

TEST_F(MemoryViewTest, RectanglesOfBuffersAliveTogetherDoNotOverlap) {
  MemoryView view(&document_);
  open("encoder", view);
  MemoryChart& chart = this->chart(view);
  const std::size_t count = document_.memory().plan()->buffers.size();
  for (std::size_t a = 0; a < count; ++a)
    for (std::size_t b = 0; b < a; ++b) {
      const QRectF common = chart.rectangle(a).intersected(chart.rectangle(b));
      EXPECT_LT(std::min(common.width(), common.height()), 0.01) << a << " and " << b;
    }
}

// Stretched, most buffers are out of sight and cost nothing.
TEST_F(MemoryViewTest, PaintsOnlyWhatIsVisible) {
  MemoryView view(&document_);
  open("mobilenet_v1", view);
  MemoryChart& chart = this->chart(view);
  chart.viewport()->grab();
  const std::size_t all = chart.painted_buffers();
  EXPECT_EQ(all, document_.memory().plan()->buffers.size());
  chart.set_zoom(10);
  chart.viewport()->grab();
  EXPECT_LT(chart.painted_buffers(), all / 2);
  EXPECT_GT(chart.painted_buffers(), 0u);
  // What is selected comes into sight.
  selection().select_value(document_.memory().plan()->buffers.back().value);
  EXPECT_TRUE(QRectF(chart.viewport()->rect()).intersects(chart.rectangle(all - 1)));
  QTest::keyClick(&chart, Qt::Key_0);
  EXPECT_EQ(chart.zoom(), 1);
}

TEST_F(MemoryViewTest, BothThemesPaintIt) {
  MemoryView view(&document_);
  open("mlp", view);
  MemoryChart& chart = this->chart(view);
  for (const Tone tone : {Tone::Light, Tone::Dark}) {
    set_theme(tone);
    EXPECT_EQ(chart.viewport()->grab().toImage().pixelColor(1, 1), theme().surface);
  }
}

}  // namespace
}  // namespace loopglass::views
