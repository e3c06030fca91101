// Layouts of constants after the loops that read them.
#include "core/tune/layouts.h"

#include "core/loop/interpreter.h"
#include "core/loop/text.h"
#include "tests/schedule/compiled.h"
#include "tests/schedule/nests.h"
#include "tests/schedule/scripts.h"
#include "tests/tune/kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loopglass::tune {
namespace {

using ::testing::HasSubstr;

schedule::Scheduled with(const Task& task, const std::string& script) {
  return {schedule::parse_script(script).value(), schedule::scheduled(task.nest, script)};
}

TEST(Layouts, FollowTheLoops) {
  const Task task = product();
  const auto laid = laid_out(with(
      task, schedule::product_loops + "j_o, j_i = split(j, [4, 8])\nk_o, k_i = split(k, [6, 8])\n"
                                      "reorder([j_o, i, k_o, k_i, j_i])\nvectorize(j_i)"));
  // B[k, j] under j_o, k_o, k_i, j_i.
  EXPECT_THAT(to_script(laid.trace),
              HasSubstr("transform_layout(\"B\", \"d0 d1 -> d1/8 d0/8 d0%8 d1%8\")"));
  runtime::ThreadPool pool(1);
  schedule::expect_compiled_right(task.nest, pool, to_script(laid.trace));
}

TEST(Layouts, LeaveWhatLiesWellOrIsWalkedIrregularly) {
  const Task task = product();
  const std::string as_it_lies = schedule::product_loops + "reorder([i, k, j])";
  EXPECT_EQ(to_script(laid_out(with(task, as_it_lies)).trace), as_it_lies + "\n");
  const std::string fused = schedule::product_loops + "both = fuse([i, j])";
  EXPECT_EQ(laid_out(with(task, fused)).trace.instructions.size(),
            schedule::parse_script(fused)->instructions.size());
  const std::string done =
      schedule::product_loops + "transform_layout(\"B\", \"k j -> j k\")\nreorder([j, i, k])";
  EXPECT_EQ(laid_out(with(task, done)).trace.instructions.size(),
            schedule::parse_script(done)->instructions.size());
}

// The kernel that lays out at run time makes what packing makes, paddings included.
TEST(Layouts, HaveKernelsThatMakeThem) {
  const loop::Func nest =
      schedule::scheduled(product().nest, "transform_layout(\"B\", \"k j -> j/5 k/7 k%7 j%5\")");
  const auto kernels = layout_kernels(nest);
  ASSERT_EQ(kernels.size(), 1u);
  ASSERT_TRUE(loop::verify(kernels[0])) << loop::to_text(kernels[0]);
  const Tensor constant = schedule::small_numbers({DataType::Float32, {48, 32}}, 3);
  std::vector<Tensor> arguments{constant, Tensor({DataType::Float32, {7, 7, 7, 5}})};
  loop::interpret(kernels[0], arguments);
  EXPECT_TRUE(arguments[1].same_content(loop::pack(nest.parameters[1], constant)));
  EXPECT_TRUE(layout_kernels(product().nest).empty());
}

TEST(Layouts, AdaptFiveToFiveToSix) {
  int counts[3] = {};
  for (int round = 0; round < 16; ++round)
    ++counts[static_cast<int>(layout_at(Layout::Adaptive, round / 16.0))];
  EXPECT_EQ(counts[0], 5);
  EXPECT_EQ(counts[1], 5);
  EXPECT_EQ(counts[2], 6);
  EXPECT_EQ(layout_at(Layout::AtRunTime, 0.9), Layout::AtRunTime);
  for (const Layout layout : all_layouts) EXPECT_EQ(layout_named(name(layout)), layout);
  EXPECT_EQ(layout_named("ll"), std::nullopt);
}

}  // namespace
}  // namespace loopglass::tune
