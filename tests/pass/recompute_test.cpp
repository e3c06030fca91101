// Recomputation under a memory limit: when it happens, what it costs, and that the plan honours it.
#include "passes/graph/recompute.h"

#include "passes/graph/memory_estimate.h"
#include "tests/pass/before_after.h"
#include "tests/random/random_network.h"
#include "tests/random/time_limit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loopglass {
namespace {

using test::graph_of;

// `kept` is made from the input at once, but besides its first reader only the last operator reads
// it: while the two matrix products run it lies about.
const char* const skip = R"(
  input %x: float32[1x64]
  input %c: float32[128x64]
  input %w: float32[64x64]
  input %wide: float32[64x512]
  input %back: float32[512x64]
  %kept: float32[128x64] = Mul(%x, %c) "kept"
  %first: float32[128x64] = MatMul(%kept, %w) "first"
  %second: float32[128x512] = MatMul(%first, %wide) "second"
  %third: float32[128x64] = MatMul(%second, %back) "third"
  %y: float32[128x64] = Add(%third, %kept) "y"
  output %y)";

std::int64_t arena_of(const graph::Graph& graph) {
  return passes::MemoryEstimator(reference_machine()).estimate(graph).value().memory.arena_bytes;
}

pass::Report with_limit(std::int64_t bytes, std::size_t rewrites = pass::Report::all) {
  pass::Settings settings;
  settings.memory_limit = bytes;
  return pass::Report(settings, {}, rewrites);
}

// To the last bit.
void expect_same_results(const graph::Graph& before, const graph::Graph& after) {
  test::expect_same_meaning(before, after, 0);
}

TEST(Recompute, DoesNothingWithoutALimit) {
  const graph::Graph before = graph_of(skip);
  pass::Report report;
  const graph::Graph after = passes::recompute(before, report, reference_machine()).value();
  EXPECT_EQ(to_text(after), to_text(before));
  EXPECT_TRUE(report.rewrites.empty());
  EXPECT_TRUE(report.remarks.empty());
}

TEST(Recompute, DoesNothingWhenTheNetworkFits) {
  const graph::Graph before = graph_of(skip);
  pass::Report report = with_limit(arena_of(before));
  EXPECT_EQ(to_text(passes::recompute(before, report, reference_machine()).value()),
            to_text(before));
  EXPECT_TRUE(report.remarks.empty());
}

TEST(Recompute, ACheapProducerMovesNearItsLateUse) {
  const graph::Graph before = graph_of(skip);
  const std::int64_t peak = arena_of(before);  // second, first or third, and kept
  pass::Report report = with_limit(peak - 1);
  const graph::Graph after = passes::recompute(before, report, reference_machine()).value();
  EXPECT_EQ(arena_of(after), peak - 128 * 64 * 4);
  expect_same_results(before, after);
  ASSERT_EQ(report.rewrites.size(), 1u);
  EXPECT_EQ(report.rewrites[0].rule, "recompute");
  EXPECT_THAT(report.rewrites[0].detail, ::testing::HasSubstr("kept is computed again for y"));
  // One multiplication an element, once more; a convolution or matrix product is not repeated.
  ASSERT_EQ(report.remarks.size(), 1u);
  const pass::Remark& remark = report.remarks[0];
  EXPECT_EQ(remark.code, "MEMORY_LIMIT_KEPT");
  EXPECT_THAT(remark.numbers,
              ::testing::ElementsAre(::testing::Pair("limit", peak - 1),
                                     ::testing::Pair("peak_before", peak),
                                     ::testing::Pair("peak_after", peak - 128 * 64 * 4),
                                     ::testing::Pair("extra_flops", 128 * 64)));
  EXPECT_EQ(after.nodes().size(), before.nodes().size() + 1);
  // The model's interface keeps its names, the operator its own.
  EXPECT_EQ(after.value(after.outputs()[0]).name, "y");
  EXPECT_NE(after.find_node("y"), nullptr);
  EXPECT_NE(after.find_node("kept_again"), nullptr);
  // At rest: the result fits, and nothing is left to do.
  pass::Report again = with_limit(peak - 1);
  EXPECT_EQ(to_text(passes::recompute(after, again, reference_machine()).value()), to_text(after));
}

TEST(Recompute, ALimitThatCannotBeReachedIsSaidWithTheReachedPeak) {
  const graph::Graph before = graph_of(skip);
  pass::Report report = with_limit(1000);
  const graph::Graph after = passes::recompute(before, report, reference_machine()).value();
  expect_same_results(before, after);
  ASSERT_EQ(report.remarks.size(), 1u);
  EXPECT_EQ(report.remarks[0].kind, pass::RemarkKind::Missed);
  EXPECT_EQ(report.remarks[0].code, "MEMORY_LIMIT_NOT_KEPT");
  EXPECT_EQ(report.remarks[0].numbers[2],
            (std::pair<std::string, double>{"peak_after", arena_of(after)}));
  EXPECT_LT(arena_of(after), arena_of(before));
}

TEST(Recompute, StopsWhereItIsTold) {
  const graph::Graph before = graph_of(skip);
  pass::Report report = with_limit(1000, 0);
  EXPECT_EQ(to_text(passes::recompute(before, report, reference_machine()).value()),
            to_text(before));
  EXPECT_TRUE(report.rewrites.empty());
}

// The default pipeline ends with it, and merges common subexpressions only before.
TEST(Recompute, ThePipelineKeepsItsCopies) {
  pass::RunOptions options;
  const graph::Graph before = graph_of(skip);
  options.settings.memory_limit = arena_of(before) - 1;
  const auto passes = passes::graph_passes(reference_machine());
  std::vector<pass::PassInfo> infos;
  for (const auto& pass : passes) infos.push_back(pass.info);
  const auto presets = passes::presets();
  for (const char* preset : {"default", "teaching"}) {
    const auto pipeline = pass::parse_pipeline(preset, infos, presets).value();
    const auto history =
        pass::run(std::make_shared<const graph::Graph>(before), passes, pipeline, options);
    ASSERT_TRUE(history) << to_string(history.error());
    EXPECT_EQ(history->steps.back().pass.name, "recompute");
    EXPECT_LE(arena_of(history->last()), *options.settings.memory_limit);
  }
}

// On random networks under limits that ask for more than there is: same results to the last bit, no
// larger arena, at rest after one application, and any number of rewrites is the same way to go.
TEST(Recompute, RandomNetworksMeanTheSame) {
  int rewritten = 0;
  for (std::uint32_t seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE(seed);
    const graph::Graph before =
        test::random_network(seed, {.operators = 12 + static_cast<int>(seed % 12)});
    const test::TimeLimit limit(to_text(before));
    const std::int64_t peak = arena_of(before);
    if (peak == 0) continue;
    pass::Report report = with_limit(peak / 2);
    const auto after = passes::recompute(before, report, reference_machine());
    ASSERT_TRUE(after) << to_string(after.error());
    ASSERT_TRUE(graph::verify(*after)) << to_text(*after);
    EXPECT_LE(arena_of(*after), peak);
    if (report.rewrites.empty()) {
      EXPECT_EQ(to_text(*after), to_text(before));
      continue;
    }
    ++rewritten;
    EXPECT_LT(arena_of(*after), peak);
    expect_same_results(before, *after);
    pass::Report once = with_limit(peak / 2, 1);
    const graph::Graph first = passes::recompute(before, once, reference_machine()).value();
    EXPECT_EQ(once.rewrites.size(), 1u);
    EXPECT_EQ(once.rewrites[0].detail, report.rewrites[0].detail);
    expect_same_results(before, first);
    pass::Report again = with_limit(peak / 2);
    EXPECT_EQ(to_text(passes::recompute(*after, again, reference_machine()).value()),
              to_text(*after));
  }
  EXPECT_GE(rewritten, 5);
}

}  // namespace
}  // namespace loopglass
