// A nest played step by step, on grids, in memory and in a table.
#include "views/iterations/iterations_view.h"

#include "core/loop/text.h"
#include "samples/kernel_samples.h"
#include "tests/views/opened.h"
#include "views/document/lanes.h"
#include "views/iterations/iteration_grid.h"
#include "views/iterations/reuse_table.h"
#include "views/iterations/touched_memory.h"
#include "views/text.h"

#include <QComboBox>
#include <QLabel>
#include <QSlider>
#include <QTest>
#include <QToolButton>

#include <gmock/gmock.h>

namespace loopglass::views {
namespace {

using ::testing::HasSubstr;

class IterationsTest : public ::testing::Test {
 protected:
  IterationsTest() : document_(passes::toolchain(), {}), view_(&document_) {
    view_.resize(900, 700);
    view_.show();
    const samples::KernelSample& sample = *samples::find_kernel_sample("matmul");
    document_.open({"matmul",
                    [&sample] { return Result<onnx::Source>(kernel_sample_source(sample)); },
                    {},
                    "matmul"});
    EXPECT_TRUE(settled(document_));
  }

  QTableWidget& table() { return *view_.findChild<ReuseTable*>(); }
  QList<IterationGrid*> grids() { return view_.findChildren<IterationGrid*>(); }
  QSlider& slider() { return *view_.findChild<QSlider*>("iterationStep"); }
  std::string words() { return view_.findChild<QLabel*>("iterationWords")->text().toStdString(); }
  QToolButton& button(const char* name) { return *view_.findChild<QToolButton*>(name); }
  std::string chosen(const char* name) {
    return view_.findChild<QComboBox*>(name)->currentText().toStdString();
  }
  void schedule(const std::string& script) {
    document_.set_schedule(script);
    ASSERT_TRUE(settled(document_));
  }
  void go_to(std::size_t step) {
    document_.kernels().set_loop_step(step);
    ASSERT_TRUE(settled(document_));
  }

  Document document_;
  IterationsView view_;
};

TEST_F(IterationsTest, AreThoseOfTheStepThatIsShown) {
  go_to(0);
  EXPECT_EQ(chosen("iterationBlock"), "C");
  EXPECT_THAT(words(),
              HasSubstr("1 of the first 20000:  i0 = 0, i1 = 0, r0 = 0\ni = 0, j = 0, k = 0\n"));
  view_.show_step(513);
  EXPECT_THAT(words(),
              HasSubstr("514 of the first 20000:  i0 = 0, i1 = 1, r0 = 1\ni = 0, j = 1, k = 1\n"));
  EXPECT_THAT(words(), HasSubstr("reads A[0, 1]"));
  EXPECT_THAT(words(), HasSubstr("stores C[0, 1]"));
  EXPECT_EQ(table().rowCount(), 3);
  schedule("reorder([k, j])\n");
  go_to(1);
  view_.show_step(513);
  EXPECT_THAT(words(), HasSubstr("i0 = 0, i1 = 1, r0 = 1\ni = 0, k = 1, j = 1\n"));
}

// Of a sum each term comes after the one before it.
TEST_F(IterationsTest, SayWhatTheyHaveToWaitFor) {
  go_to(0);
  EXPECT_THAT(words(), ::testing::Not(HasSubstr("after")));
  view_.show_step(513);
  EXPECT_THAT(words(), HasSubstr("after 513, which stores C[0, 1], a term of the same sum"));
}

TEST(IterationGrid, DrawsArrowsFromWhatComesFirst) {
  const auto nest = loop::parse(
      "func f(X: float32[4] input, Y: float32[5, 4] output) {"
      "  for i in 4 { for j in 4 { block Y(i0 = i, i1 = j) { Y[i0 + 1, i1] = Y[i0, i1] + X[i0] } "
      "} } }");
  const auto iterations =
      std::make_shared<const locality::Iterations>(locality::iterations_of(*nest, "Y", {}).value());
  IterationGrid grid;
  grid.resize(200, 200);
  grid.show_iterations(iterations, 0, 1);
  grid.show_step(9);
  const QImage without = grid.grab().toImage();
  grid.show_dependences(std::make_shared<const locality::CarriedDependences>(*iterations));
  EXPECT_NE(grid.grab().toImage(), without);
  grid.show_step(2);  // in the first row nothing has to be waited for
  const QImage first_row = grid.grab().toImage();
  grid.show_dependences(nullptr);
  EXPECT_EQ(grid.grab().toImage(), first_row);
}

TEST_F(IterationsTest, AreShownBesideThoseBefore) {
  schedule(
      "i_o, i_i = split(i, [-1, 8])\nj_o, j_i = split(j, [-1, 8])\nreorder([i_o, j_o, k, i_i, "
      "j_i])\n");
  go_to(3);
  EXPECT_EQ(chosen("iterationDown"), "i0");
  EXPECT_EQ(chosen("iterationAcross"), "i1");
  button("compareIterations").click();
  view_.show_step(77);  // before the answer is there
  ASSERT_TRUE(settled(document_));
  for (const IterationGrid* grid : grids()) EXPECT_EQ(grid->step(), 77);
  int visible = 0;
  for (const IterationGrid* grid : grids()) visible += grid->isVisible() ? 1 : 0;
  EXPECT_EQ(visible, 2);
  EXPECT_THAT(table().item(0, 2)->text().toStdString(), HasSubstr("→"));
  for (const int step : {0, 100, 19999}) {
    view_.show_step(step);
    view_.grab();
  }
  go_to(0);  // before it there is nothing
  visible = 0;
  for (const IterationGrid* grid : grids()) visible += grid->isVisible() ? 1 : 0;
  EXPECT_EQ(visible, 1);
  view_.grab();
}

// Its answer comes when there is no kernel to show it beside.
TEST_F(IterationsTest, OfAKernelThatIsGoneNothingComes) {
  go_to(0);
  const auto is_following = [&] { return document_.jobs().busy(lanes::iterations); };
  document_.kernels().set_loop_step(1);
  EXPECT_TRUE(is_following());
  document_.close();
  EXPECT_FALSE(is_following());
  ASSERT_TRUE(settled(document_));
  EXPECT_EQ(table().rowCount(), 0);
}

// Nobody waits for what is not seen.
TEST_F(IterationsTest, AreNotFollowedWhereNobodyLooks) {
  document_.kernels().set_loop_step(1);
  EXPECT_TRUE(document_.jobs().busy(lanes::iterations));
  view_.hide();
  QCoreApplication::processEvents();
  EXPECT_FALSE(document_.jobs().busy(lanes::iterations));
  view_.show();
  QCoreApplication::processEvents();
  ASSERT_TRUE(settled(document_));
  EXPECT_GT(table().rowCount(), 0);
}

TEST_F(IterationsTest, ArePlayed) {
  button("playIterations").click();
  ASSERT_TRUE(QTest::qWaitFor([&] { return view_.step() > 0; }));
  button("playIterations").click();
  const int stopped = view_.step();
  QTest::qWait(120);
  EXPECT_EQ(view_.step(), stopped);
  view_.show_step(slider().maximum());
  view_.play(true);
  ASSERT_TRUE(QTest::qWaitFor([&] { return view_.step() < slider().maximum(); }))
      << "from the start";
  view_.play(false);
}

TEST_F(IterationsTest, AClickOnACellGoesToItsNextVisit) {
  go_to(0);
  view_.findChild<QComboBox*>("iterationDown")->setCurrentText("j");
  view_.findChild<QComboBox*>("iterationAcross")->setCurrentText("k");
  IterationGrid* grid = grids().front()->isVisible() ? grids().front() : grids().back();
  QTest::mouseClick(grid, Qt::LeftButton, {}, QPoint(60, 40));
  EXPECT_GT(view_.step(), 0);
  EXPECT_LT(view_.step(), 19999);
}

}  // namespace
}  // namespace loopglass::views
