// Kernels of many operators: what is printed is what is looked at, and the window does not wait for
// it.
#include "core/onnx/export.h"
#include "samples/network.h"
#include "tests/views/opened.h"
#include "views/code/code_pane.h"
#include "views/code/step_chooser.h"
#include "views/llvm/llvm_view.h"
#include "views/loops/loop_view.h"

#include <QTemporaryDir>

#include <gtest/gtest.h>

namespace loopglass::views {
namespace {

// x, sin(x) * cos(x), and so on: every product waits for both, so each has a loop nest of its own.
// Rows too short for lanes are left to LLVM, all of whose passes then run.
graph::Graph diamonds(int count) {
  samples::Network network("diamonds");
  graph::ValueId x = network.input("x", {1, 3});
  for (int i = 0; i < count; ++i) {
    const std::string number = std::to_string(i);
    const auto sine = network.apply("sin" + number, "Sin", {x});
    const auto cosine = network.apply("cos" + number, "Cos", {x});
    x = network.apply("product" + number, "Mul", {sine, cosine});
  }
  return std::move(network).finish({x}).value();
}

class LongKernelTest : public testing::Test {
 protected:
  LongKernelTest() : document_(passes::toolchain()), loops_(&document_), llvm_(&document_) {
    const std::filesystem::path model = folder_.filePath("diamonds.onnx").toStdString();
    EXPECT_TRUE(onnx::write(diamonds(6), model));
    document_.open(model);
    EXPECT_TRUE(settled(document_));
    EXPECT_TRUE(document_.kernels().machine_code());
  }
  const StepChooser& llvm_chooser() const { return *llvm_.findChild<StepChooser*>(); }

  QTemporaryDir folder_;
  Document document_;
  LoopView loops_;
  LlvmView llvm_;
};

// A long kernel has as many steps as operators and more, and each is as long as the kernel.
TEST_F(LongKernelTest, OfTheLoopNestsOnlyThoseThatAreLookedAtArePrinted) {
  const Kernel& kernel = *document_.kernels().kernel();
  ASSERT_GT(kernel.loops.size(), 30u);
  EXPECT_EQ(kernel.listings_printed(), 2) << "the last, and the one before, to tell what changed";
  const std::size_t last = document_.kernels().loop_step();
  for (std::size_t back = 1; back <= 5; ++back) document_.kernels().set_loop_step(last - back);
  EXPECT_EQ(kernel.listings_printed(), 7) << "stepping on, the step before is at hand";
  EXPECT_EQ(loops_.code()->text().toStdString(), document_.kernels().loop_listing()->text());
}

TEST_F(LongKernelTest, AnLlvmStepThatIsNotAtHandIsShownWhenItHasArrived) {
  const std::size_t last = document_.kernels().llvm_step();
  ASSERT_GT(last, 2u);
  const QString optimised = llvm_.code()->text();
  document_.kernels().set_llvm_step(1);
  EXPECT_EQ(document_.kernels().llvm_step(), last) << "until then the window stays where it is";
  EXPECT_EQ(llvm_.code()->text(), optimised);
  ASSERT_TRUE(settled(document_));
  EXPECT_EQ(document_.kernels().llvm_step(), 1u);
  EXPECT_EQ(llvm_chooser().current(), 1);
  EXPECT_NE(llvm_.code()->text(), optimised);
  ASSERT_TRUE(document_.kernels().llvm_lines_before());
  EXPECT_NE(*document_.kernels().llvm_lines_before(), *document_.kernels().llvm_lines());
  document_.kernels().set_llvm_step(2);
  EXPECT_EQ(document_.kernels().llvm_step(), 2u) << "those around it have come along";
}

TEST_F(LongKernelTest, TheLlvmStepAskedForLastIsTheOneShown) {
  document_.kernels().set_llvm_step(0);
  document_.kernels().set_llvm_step(3);
  document_.kernels().set_llvm_step(document_.kernels().machine_code()->optimised_step());
  document_.kernels().set_llvm_step(2);
  ASSERT_TRUE(settled(document_));
  EXPECT_EQ(document_.kernels().llvm_step(), 2u);
  EXPECT_EQ(llvm_chooser().current(), 2);
}

// The chooser shows what was chosen at once; when that does not come it must not go on saying so.
TEST_F(LongKernelTest, AnLlvmStepThatWasCancelledLeavesTheWindowWhereItIs) {
  const int last = static_cast<int>(document_.kernels().llvm_step());
  document_.kernels().set_llvm_step(1);
  document_.cancel_work();
  ASSERT_TRUE(settled(document_));
  EXPECT_EQ(static_cast<int>(document_.kernels().llvm_step()), last);
  EXPECT_EQ(llvm_chooser().current(), last);
  document_.kernels().set_llvm_step(1);
  ASSERT_TRUE(settled(document_));
  EXPECT_EQ(document_.kernels().llvm_step(), 1u) << "asked for again it comes";
}

TEST_F(LongKernelTest, WhatIsToldOfAnLlvmStepIsItsOwn) {
  document_.kernels().set_llvm_step(0);
  ASSERT_TRUE(settled(document_));
  const auto& lines = *document_.kernels().llvm_lines();
  const auto mapped =
      std::find_if(lines.begin(), lines.end(), [](const auto& line) { return line.loop_line > 0; });
  ASSERT_NE(mapped, lines.end());
  document_.selection().select_line(TextPane::Llvm, static_cast<int>(mapped - lines.begin()) + 1);
  for (const int line : document_.selection().highlighted_lines(TextPane::Llvm))
    EXPECT_EQ(lines[static_cast<std::size_t>(line - 1)].loop_line, mapped->loop_line);
  document_.kernels().set_llvm_step(1);
  const auto* selected = std::get_if<SelectedLine>(&document_.selection().current());
  ASSERT_TRUE(selected) << "the line is carried along";
  EXPECT_EQ(
      (*document_.kernels().llvm_lines())[static_cast<std::size_t>(selected->line - 1)].loop_line,
      mapped->loop_line);
}

}  // namespace
}  // namespace loopglass::views
