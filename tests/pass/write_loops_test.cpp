// TopK, ScatterElements and ScatterND as loop nests: that they mean the same, and which are left.
#include "tests/pass/before_after.h"
#include "tests/random/random_searches.h"

#include <gmock/gmock.h>

namespace loopglass::test {
namespace {

using ::testing::ElementsAre;

// Sums and products of floats are computed one after another, so they round otherwise.
void expect_same_results(const DrawnSearch& drawn, const graph::Graph& after) {
  SCOPED_TRACE(to_text(drawn.graph));
  const auto expected = loop::interpret(drawn.graph, drawn.inputs),
             actual = loop::interpret(after, drawn.inputs);
  ASSERT_TRUE(expected) << to_string(expected.error());
  ASSERT_TRUE(actual) << to_string(actual.error());
  for (std::size_t i = 0; i < expected->size(); ++i) {
    const auto equal = runtime::compare((*actual)[i], (*expected)[i], 1e-6, 1e-5);
    EXPECT_TRUE(equal) << equal.error().what;
  }
}

TEST(WriteLoops, MeansTheSame) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 300; ++trial) {
    const DrawnSearch drawn = trial % 3 == 0   ? draw_top_k(random)
                              : trial % 3 == 1 ? draw_scatter_elements(random)
                                               : draw_scatter_nd(random);
    const auto step = applied("write-loops", drawn.graph);
    if (!step.changed) {
      EXPECT_THAT(codes(step), ElementsAre("ROUNDING"));
      continue;
    }
    EXPECT_THAT(operator_names(*step.result), ElementsAre("LoopNest"));
    expect_same_results(drawn, *step.result);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(WriteLoops, KeepsNamesOfResults) {
  const auto step = applied("write-loops", graph_of(R"(
    input %x: float32[100]
    %first: float32[4], %where: int64[4] = TopK(%x) {k = 4} "best"
    %y: float32[4] = Relu(%first) "after"
    output %y
    output %where)"));
  const graph::Node& best = *step.result->find_node("best");
  EXPECT_EQ(best.op->name, "LoopNest");
  EXPECT_EQ(step.result->value(best.outputs[0]).name, "first");
  EXPECT_EQ(step.result->value(best.outputs[1]).name, "where");
}

TEST(WriteLoops, LeavesWhatSearchesAmongFew) {
  for (const char* text : {R"(
         input %x: float32[8x15]
         %y: float32[8x2], %i: int64[8x2] = TopK(%x) {k = 2} "best"
         output %y
         output %i)",
                           R"(
         input %x: float32[100x4]
         input %i: int64[3x1]
         input %u: float32[3x4]
         %y: float32[100x4] = ScatterND(%x, %i, %u) "scatter"
         output %y)"}) {
    const auto step = applied("write-loops", graph_of(text));
    EXPECT_FALSE(step.changed);
    EXPECT_THAT(codes(step), ElementsAre("FEW_TO_SEARCH"));
  }
}

}  // namespace
}  // namespace loopglass::test
