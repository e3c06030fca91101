// Graph passes: what each does, as text before and after, and that the network means the same.
#include "core/support/check.h"
#include "tests/pass/before_after.h"
#include "tests/random/random_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loopglass {
namespace {

using test::Situation;

class GraphPassGolden : public ::testing::TestWithParam<Situation> {};
TEST_P(GraphPassGolden, RewritesAsShownAndKeepsTheMeaning) { test::check(GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    All, GraphPassGolden,
    ::testing::Values(
        Situation{"The shape of a tensor is known before its data.",
                  "materialise-shapes",
                  R"(
  input %x: float32[2x3]
  const %one: int64[1] = [1]
  %s: int64[2] = Shape(%x) "s"
  %g: int64[1] = Gather(%s, %one) "g"
  output %g)",
                  R"(
  input %x: float32[2x3]
  const %one: int64[1] = [1]
  const %s: int64[2] = [2, 3]
  %g: int64[1] = Gather(%s, %one) "g"
  output %g)",
                  {"FOLD_GRAPH_OUTPUT"}},
        Situation{"The size of a shape that has become a constant is one, too.",
                  "materialise-shapes",
                  R"(
  input %x: float32[2x3]
  %s: int64[2] = Shape(%x) "s"
  %n: int64[] = Size(%s) "n"
  %r: int64[] = Neg(%n) "r"
  output %r)",
                  R"(
  input %x: float32[2x3]
  const %n: int64[] = [2]
  %r: int64[] = Neg(%n) "r"
  output %r)",
                  {"FOLD_GRAPH_OUTPUT"}},
        Situation{"A chain of constants is computed in one sweep; what depends on data stays.",
                  "fold-constants",
                  R"(
  input %x: float32[2]
  const %a: float32[2] = [1, 2]
  const %b: float32[2] = [3, 4]
  %c: float32[2] = Add(%a, %b) "c"
  %d: float32[2] = Neg(%c) "d"
  %y: float32[2] = Mul(%x, %d) "y"
  output %y)",
                  R"(
  input %x: float32[2]
  const %d: float32[2] = [-4, -6]
  %y: float32[2] = Mul(%x, %d) "y"
  output %y)"},
        Situation{"An operator that copies is stepped over.", "simplify",
                  R"(
  input %x: float32[2]
  %a: float32[2] = Relu(%x) "a"
  %i: float32[2] = Identity(%a) "i"
  %y: float32[2] = Neg(%i) "y"
  output %y)",
                  R"(
  input %x: float32[2]
  %a: float32[2] = Relu(%x) "a"
  %y: float32[2] = Neg(%a) "y"
  output %y)"},
        Situation{"An identity between the network's input and output is its interface and stays.",
                  "simplify",
                  R"(
  input %x: float32[2]
  %y: float32[2] = Identity(%x) "y"
  output %y)",
                  nullptr,
                  {"IDENTITY_AT_INTERFACE"}},
        Situation{"What no output needs goes, back to its constants.", "remove-dead-code",
                  R"(
  input %x: float32[2]
  const %k: float32[2] = [1, 2]
  %a: float32[2] = Add(%x, %k) "a"
  %b: float32[2] = Neg(%a) "b"
  %y: float32[2] = Relu(%x) "y"
  output %y)",
                  R"(
  input %x: float32[2]
  %y: float32[2] = Relu(%x) "y"
  output %y)"}));

// The runner names the pass that broke the graph and shows the graph before it.
TEST(PassRunner, NamesTheCulpritAndShowsTheGraphBefore) {
  const auto graph = std::make_shared<const graph::Graph>(test::random_graph(3, 4));
  const std::vector<pass::GraphPass> pipeline{
      {{"fine", "", ""},
       [](const graph::Graph& g, pass::Report&) -> Result<graph::Graph> { return g; }},
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
  const auto history =
      pass::run(std::make_shared<const graph::Graph>(test::random_graph(3, 4)),
                passes::graph_passes(reference_machine()), {{}, {}, {}, cancellation});
  ASSERT_FALSE(history);
  EXPECT_EQ(history.error().code, Code::Cancelled);
}

}  // namespace
}  // namespace loopglass
