// Graph passes: what each does, as text before and after, and that the network means the same.
#include "core/graph/text.h"
#include "core/loop/interpret_graph.h"
#include "core/runtime/executor.h"
#include "core/support/check.h"
#include "passes/pipeline.h"
#include "tests/random/random_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loopglass {
namespace {

pass::GraphPass pass_named(const std::string& name) {
  for (const pass::GraphPass& pass : passes::graph_passes())
    if (pass.info.name == name) return pass;
  throw std::invalid_argument(name);
}

std::vector<Tensor> random_inputs(const graph::Graph& graph, std::uint64_t seed) {
  std::vector<Tensor> inputs;
  for (const graph::ValueId input : graph.inputs())
    inputs.push_back(runtime::random_tensor(graph.value(input).type, seed + inputs.size()));
  return inputs;
}

void expect_same_meaning(const graph::Graph& before, const graph::Graph& after, std::uint64_t seed) {
  const auto inputs = random_inputs(before, seed);
  const auto expected = loop::interpret(before, inputs), actual = loop::interpret(after, inputs);
  ASSERT_TRUE(expected) << to_string(expected.error());
  ASSERT_TRUE(actual) << to_string(actual.error());
  ASSERT_EQ(expected->size(), actual->size());
  for (std::size_t i = 0; i < expected->size(); ++i) {
    const auto equal = runtime::compare((*actual)[i], (*expected)[i], 1e-5, 1e-5);
    EXPECT_TRUE(equal) << equal.error().what << "\nbefore:\n" << to_text(before) << "after:\n" << to_text(after);
  }
}

struct Golden {
  const char* name;    // what the case shows
  const char* pass;
  const char* before;
  const char* after;
};

class GraphPassGolden : public ::testing::TestWithParam<Golden> {};

TEST_P(GraphPassGolden, RewritesAsShownAndKeepsTheMeaning) {
  const auto before = graph::parse(GetParam().before);
  ASSERT_TRUE(before) << to_string(before.error());
  const std::vector<pass::GraphPass> pipeline{pass_named(GetParam().pass)};
  const auto history = pass::run(std::make_shared<const graph::Graph>(*before), pipeline);
  ASSERT_TRUE(history) << to_string(history.error());
  EXPECT_EQ(graph::to_text(history->last()), GetParam().after) << GetParam().name;
  expect_same_meaning(*before, history->last(), 1);
  // A second application finds nothing left to do.
  const auto again = pass::run(history->steps.back().result, pipeline);
  ASSERT_TRUE(again);
  EXPECT_FALSE(again->steps.back().changed);
}

INSTANTIATE_TEST_SUITE_P(
    All, GraphPassGolden,
    ::testing::Values(
        Golden{"The shape of a tensor is known before its data.", "materialise-shapes",
               R"(graph "g" {
  input %x: float32[2x3]
  const %one: int64[1] = [1]
  %s: int64[2] = Shape(%x) "s"
  %g: int64[1] = Gather(%s, %one) "g"
  output %g
}
)",
               R"(graph "g" {
  input %x: float32[2x3]
  const %one: int64[1] = [1]
  const %s: int64[2] = [2, 3]
  %g: int64[1] = Gather(%s, %one) "g"
  output %g
}
)"},
        Golden{"The size of a shape that has become a constant is one, too.", "materialise-shapes",
               R"(graph "g" {
  input %x: float32[2x3]
  %s: int64[2] = Shape(%x) "s"
  %n: int64[] = Size(%s) "n"
  %r: int64[] = Neg(%n) "r"
  output %r
}
)",
               R"(graph "g" {
  input %x: float32[2x3]
  const %n: int64[] = [2]
  %r: int64[] = Neg(%n) "r"
  output %r
}
)"},
        Golden{"A chain of constants is computed in one sweep; what depends on data stays.", "fold-constants",
               R"(graph "g" {
  input %x: float32[2]
  const %a: float32[2] = [1, 2]
  const %b: float32[2] = [3, 4]
  %c: float32[2] = Add(%a, %b) "c"
  %d: float32[2] = Neg(%c) "d"
  %y: float32[2] = Mul(%x, %d) "y"
  output %y
}
)",
               R"(graph "g" {
  input %x: float32[2]
  const %d: float32[2] = [-4, -6]
  %y: float32[2] = Mul(%x, %d) "y"
  output %y
}
)"},
        Golden{"An operator that copies is stepped over.", "simplify",
               R"(graph "g" {
  input %x: float32[2]
  %a: float32[2] = Relu(%x) "a"
  %i: float32[2] = Identity(%a) "i"
  %y: float32[2] = Neg(%i) "y"
  output %y
}
)",
               R"(graph "g" {
  input %x: float32[2]
  %a: float32[2] = Relu(%x) "a"
  %y: float32[2] = Neg(%a) "y"
  output %y
}
)"},
        Golden{"An identity between the network's input and output is its interface and stays.", "simplify",
               R"(graph "g" {
  input %x: float32[2]
  %y: float32[2] = Identity(%x) "y"
  output %y
}
)",
               R"(graph "g" {
  input %x: float32[2]
  %y: float32[2] = Identity(%x) "y"
  output %y
}
)"},
        Golden{"gamma / sqrt(var + epsilon) = 2 / sqrt(4) = 1 and 3 / sqrt(9) = 1; epsilon is 0 here.", "fold-batch-norm",
               R"(graph "g" {
  input %x: float32[1x1x2x2]
  const %w: float32[2x1x1x1] = [1, 2]
  const %b: float32[2] = [10, 20]
  const %scale: float32[2] = [2, 6]
  const %shift: float32[2] = [0.5, 0.25]
  const %mean: float32[2] = [1, 2]
  const %var: float32[2] = [4, 9]
  %c: float32[1x2x2x2] = Conv(%x, %w, %b) "conv" from 0
  %y: float32[1x2x2x2] = BatchNormalization(%c, %scale, %shift, %mean, %var) {epsilon = 0} "bn" from 1
  output %y
}
)",
               R"(graph "g" {
  input %x: float32[1x1x2x2]
  const %conv_folded_weight: float32[2x1x1x1] = [1, 4]
  const %conv_folded_bias: float32[2] = [9.5, 36.25]
  %y: float32[1x2x2x2] = Conv(%x, %conv_folded_weight, %conv_folded_bias) "conv" from 0, 1
  output %y
}
)"},
        Golden{"What no output needs goes, back to its constants.", "remove-dead-code",
               R"(graph "g" {
  input %x: float32[2]
  const %k: float32[2] = [1, 2]
  %a: float32[2] = Add(%x, %k) "a"
  %b: float32[2] = Neg(%a) "b"
  %y: float32[2] = Relu(%x) "y"
  output %y
}
)",
               R"(graph "g" {
  input %x: float32[2]
  %y: float32[2] = Relu(%x) "y"
  output %y
}
)"}));

TEST(GraphPasses, ABatchNormWhoseConvolutionIsStillUsedIsLeftWithAReason) {
  const auto graph = graph::parse(R"(graph "g" {
  input %x: float32[1x1x2x2]
  const %w: float32[1x1x1x1] = [1]
  const %v: float32[1] = [1]
  %c: float32[1x1x2x2] = Conv(%x, %w) "conv"
  %n: float32[1x1x2x2] = BatchNormalization(%c, %v, %v, %v, %v) "bn"
  %y: float32[1x1x2x2] = Add(%c, %n) "y"
  output %y
})");
  ASSERT_TRUE(graph) << to_string(graph.error());
  const std::vector<pass::GraphPass> pipeline{pass_named("fold-batch-norm")};
  const auto history = pass::run(std::make_shared<const graph::Graph>(*graph), pipeline);
  ASSERT_TRUE(history);
  EXPECT_FALSE(history->steps[1].changed);
  ASSERT_EQ(history->steps[1].remarks.size(), 1u);
  EXPECT_EQ(history->steps[1].remarks[0].code, "INTERMEDIATE_STILL_USED");
}

TEST(GraphPasses, ANormalisationByTheBatchIsNotFolded) {
  const auto graph = graph::parse(R"(graph "g" {
  input %x: float32[1x1x2x2]
  const %w: float32[1x1x1x1] = [1]
  const %v: float32[1] = [1]
  %c: float32[1x1x2x2] = Conv(%x, %w) "conv"
  %y: float32[1x1x2x2] = BatchNormalization(%c, %v, %v, %v, %v) {training_mode = 1} "bn"
  output %y
})");
  ASSERT_TRUE(graph) << to_string(graph.error());
  const std::vector<pass::GraphPass> pipeline{pass_named("fold-batch-norm")};
  const auto history = pass::run(std::make_shared<const graph::Graph>(*graph), pipeline);
  ASSERT_TRUE(history);
  EXPECT_FALSE(history->steps[1].changed);
  ASSERT_EQ(history->steps[1].remarks.size(), 1u);
  EXPECT_EQ(history->steps[1].remarks[0].code, "STATISTICS_OF_THE_BATCH");
}

// The runner names the pass that broke the graph and shows the graph before it.
TEST(PassRunner, NamesTheCulpritAndShowsTheGraphBefore) {
  const auto graph = std::make_shared<const graph::Graph>(testing::random_graph(3, 4));
  const std::vector<pass::GraphPass> pipeline{
      {{"fine", "", ""}, [](const graph::Graph& g, pass::Report&) -> Result<graph::Graph> { return g; }},
      {{"broken", "", ""}, [](const graph::Graph& g, pass::Report&) -> Result<graph::Graph> {
         graph::GraphBuilder builder(g);
         builder.set_outputs({});
         Result<graph::Graph> built = std::move(builder).finish();
         throw InternalError("an invariant of the pass");
       }}};
  const auto history = pass::run(graph, pipeline);
  ASSERT_FALSE(history);
  EXPECT_EQ(history.error().code, Code::PassBrokeGraph);
  EXPECT_THAT(history.error().what, ::testing::HasSubstr("'broken'"));
  EXPECT_THAT(history.error().hint, ::testing::HasSubstr("graph \"random\" {"));
}

TEST(PassRunner, StopsWhenCancelled) {
  Cancellation cancellation;
  cancellation.request();
  const auto history = pass::run(std::make_shared<const graph::Graph>(testing::random_graph(3, 4)),
                                 passes::graph_passes(), {{}, {}, {}, cancellation});
  ASSERT_FALSE(history);
  EXPECT_EQ(history.error().code, Code::Cancelled);
}

}  // namespace
}  // namespace loopglass
