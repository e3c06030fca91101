// The graph's text form: what it looks like, that it parses back, and what a mistake is told.
#include "core/graph/text.h"

#include "tests/random/random_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loopglass::graph {
namespace {

constexpr const char* small_network = R"(graph "small" {
  input %x: float32[1x2x4x4]
  const %"w/1:0": float32[1x2x1x1] = [0.5, -1.25]
  %c: float32[1x1x4x4] = Conv(%x, %"w/1:0") "conv \"1\"" from 0, 2
  %r: float32[1x1x4x4] = Relu(%c) "relu"
  output %r
}
)";

TEST(GraphText, ParsesAndPrintsBackTheSame) {
  const auto graph = parse(small_network);
  ASSERT_TRUE(graph) << to_string(graph.error());
  EXPECT_EQ(to_text(*graph), small_network);
  EXPECT_TRUE(verify(*graph));
}

TEST(GraphText, RoundTripsRandomGraphs) {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    const Graph graph = test::random_graph(seed, 20);
    const std::string text = to_text(graph, {.constant_elements = -1, .defaults = true});
    const auto again = parse(text);
    ASSERT_TRUE(again) << to_string(again.error());
    EXPECT_EQ(to_text(*again, {.constant_elements = -1, .defaults = true}), text);
  }
}

// Constants printed by hash take their data from the graph they came from.
TEST(GraphText, LargeConstantsAreFoundByHash) {
  const Graph graph = test::random_graph(1, 5);
  const std::string text = to_text(graph, {.constant_elements = 4});
  EXPECT_THAT(text, ::testing::HasSubstr("= hash 0x"));
  const auto again = parse(text, &graph);
  ASSERT_TRUE(again) << to_string(again.error());
  EXPECT_EQ(to_text(*again), to_text(graph));
  EXPECT_FALSE(parse(text));
}

// Operators and types that are not known stand in the text like any other.
constexpr const char* opaque_network = R"g(graph "opaque" {
  input %s: opaque "sequence(string)"
  input %x: float32[2]
  const %k: float32[1] = [1]
  %y: float32[2], %z: opaque "float32[?]" = Opaque(%s, _, %x) {attributes = ["axis = 1", "mode = \"fast\""], code = 2001, domain = "com.acme", operator = "Mystery", reason = "operator 'com.acme.Mystery' is not supported", subgraphs = ["body"], version = 3} "mystery" from 4
  %w: float32[2] = Add(%y, %k) "sum"
  output %w
  output %z
}
)g";

TEST(GraphText, HoldsWhatIsNotKnown) {
  const auto graph = parse(opaque_network);
  ASSERT_TRUE(graph) << to_string(graph.error());
  EXPECT_EQ(to_text(*graph), opaque_network);
  EXPECT_TRUE(verify(*graph));
  const Node& node = *graph->find_node("mystery");
  EXPECT_TRUE(is_opaque(node));
  EXPECT_EQ(operator_name(node), "com.acme.Mystery");
  EXPECT_FALSE(graph->find_value("z")->type.is_known());
  EXPECT_EQ(graph->find_value("z")->type.bytes(), 0);
}

struct Mistake {
  const char* text;
  const char* message;
};

class GraphTextMistake : public ::testing::TestWithParam<Mistake> {};

TEST_P(GraphTextMistake, IsToldWithItsPlace) {
  const auto graph = parse(GetParam().text);
  ASSERT_FALSE(graph);
  EXPECT_THAT(to_string(graph.error()), ::testing::HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    All, GraphTextMistake,
    ::testing::Values(
        Mistake{"graph \"g\" { input %x: float33[2] }", "there is no element type 'float33'"},
        Mistake{"graph \"g\" { output %y }", "'y' is not defined above"},
        Mistake{"graph \"g\" {\n  input %x: float32[2]\n  %y: float32[2] = Frobnicate(%x) \"n\"\n}",
                "line 3, column 30"},
        Mistake{"graph \"g\" { const %c: int8[2] = [1, 300] }", "an element is not a int8"},
        Mistake{"graph \"g\" { const %c: int8[2] = [1] }", "1 elements for int8[2]"},
        Mistake{"graph \"g\" { input %x: float32[2] %y: float32[3] = Relu(%x) \"n\" }",
                "is declared float32[3] but Relu makes float32[2]"},
        Mistake{"graph \"g\" { input %x: float32[2] input %x: float32[2] }",
                "'x' is defined twice"},
        Mistake{"graph \"g\" { input %x: opaque \"\" }", "says what is declared"},
        Mistake{"graph \"g\" { input %x: opaque \"string\" %y: float32[2] = Relu(%x) \"n\" }",
                "operand 0 is string, whose type is not known"},
        Mistake{"graph \"g\" { %y: float32[2] = Opaque() {code = 1, operator = \"O\", reason = "
                "\"r\"} \"n\" }",
                "1 is no diagnostic that makes an operator opaque"},
        Mistake{"graph \"g\" { %y: float32[2] = Opaque() {code = 2001, reason = \"r\"} \"n\" }",
                "needs its attribute 'operator'"},
        Mistake{"graph \"g\" { input %x: float32[-2] }", "an extent is negative"},
        Mistake{"graph \"g\" {", "expected '%'"}));

}  // namespace
}  // namespace loopglass::graph
