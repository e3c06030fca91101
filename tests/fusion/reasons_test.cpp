// Every reason code, provoked from a strategy that gives it: a network, and the edge that gets the
// code. A code without a row fails the test, so the legend never lists what cannot be met.
#include "core/fusion/edits.h"
#include "core/ops/registry.h"
#include "passes/fusion/ideal_search.h"
#include "passes/pipeline.h"
#include "tests/graph/parsed.h"
#include "tests/random/random_network.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

namespace loopglass {
namespace {

using fusion::name;
using fusion::Reason;
using test::graph_of;

const char* const chain = R"(
  input %x: float32[4x4]
  %a: float32[4x4] = Relu(%x) "a"
  %b: float32[4x4] = Neg(%a) "b"
  output %b)";

// A way around `b` that nothing can take along.
const char* const detour = R"(
  input %x: float32[4x4]
  %a: float32[4x4] = Relu(%x) "a"
  %b: float32[4x4] = Neg(%a) "b"
  %m: float32[4x4], %i: int64[4x4] = TopK(%a) {k = 4} "m"
  %s: float32[4x4] = Add(%b, %m) "s"
  output %s)";

const char* const two_products = R"(
  input %x: float32[4x4]
  %a: float32[4x4] = MatMul(%x, %x) "a"
  %b: float32[4x4] = MatMul(%a, %x) "b"
  output %b)";

std::string long_chain(int operators) {
  std::string text = "input %x: float32[4]\n";
  for (int i = 0; i < operators; ++i)
    text += fmt::format("%r{}: float32[4] = Relu(%{}) \"n{}\"\n", i,
                        i == 0 ? "x" : fmt::format("r{}", i - 1), i);
  return text + fmt::format("output %r{}", operators - 1);
}

std::string long_sum(int operands) {
  std::string text;
  for (int i = 0; i < operands; ++i) text += fmt::format("input %x{}: float32[4]\n", i);
  for (int i = 1; i < operands; ++i)
    text += fmt::format("%s{}: float32[4] = Add(%{}, %x{}) \"n{}\"\n", i,
                        i == 1 ? "x0" : fmt::format("s{}", i - 1), i, i);
  return text + fmt::format("output %s{}", operands - 1);
}

struct Row {
  Reason reason;
  const char* strategy;
  std::string graph;
  const char* edge = "a:b";  // empty: any edge of the plan
  const char* forced = "";
  const char* forbidden = "";
  const char* edits = "";
};
void PrintTo(const Row& row, std::ostream* out) { *out << name(row.reason); }

const std::vector<Row>& rows() {
  static const std::vector<Row> all{
      {Reason::Fused, "dominator", chain},
      {Reason::StrategyNone, "none", chain},
      {Reason::ForcedApart, "dominator", chain, "a:b", "", "a:b"},
      {Reason::SplitByHand, "manual", chain, "a:b", "", "", "base dominator\nsplit a"},
      {Reason::Opaque, "dominator", R"(
  input %x: float32[4x4]
  %a: float32[4x4] = Relu(%x) "a"
  %b: float32[4x4] = Opaque(%a) {code = 2001, operator = "Mystery", reason = "operator 'Mystery' is not supported"} "b"
  output %b)"},
      {Reason::OpaqueSource, "dominator", R"(
  input %x: float32[4x4]
  %a: float32[4x2], %i: int64[4x2] = TopK(%x) {k = 2} "a"
  %b: float32[4x2] = Relu(%a) "b"
  output %b)"},
      {Reason::GraphOutput, "dominator", R"(
  input %x: float32[4]
  %a: float32[4] = Relu(%x) "a"
  %b: float32[4] = Neg(%a) "b"
  output %a
  output %b)"},
      {Reason::NoPostDominator, "dominator", R"(
  input %x: float32[4]
  %a: float32[4] = Relu(%x) "a"
  %b: float32[4] = Neg(%a) "b"
  %c: float32[4] = Abs(%a) "c"
  output %b
  output %c)"},
      {Reason::SinkIsTuple, "dominator", R"(
  input %x: float32[4x4]
  %m: float32[4x4] = MatMul(%x, %x) "m"
  %a: float32[4x4] = Relu(%m) "a"
  %b: float32[4x8] = Concat(%a, %x) {axis = 1} "b"
  output %b)"},
      // r is the only seed; it takes in a, backwards, and a's other reader is not come by.
      {Reason::AlreadyFused, "mapping", R"(
  input %x: float32[2x3x4]
  %a: float32[6x4] = Reshape(%x) {shape = [6, 4]} "a"
  %b: float32[4x6] = Transpose(%a) "b"
  %r: float32[6x4] = Relu(%a) "r"
  output %b
  output %r)"},
      {Reason::NoSeed, "mapping", R"(
  input %x: float32[2x3x4]
  %a: float32[6x4] = Reshape(%x) {shape = [6, 4]} "a"
  %b: float32[4x6] = Transpose(%a) "b"
  output %b)"},
      {Reason::IntermediateStillUsed, "dominator", detour},
      // m and s run in one kernel, which waits for c: a can join b only if b leaves it.
      {Reason::WouldCycle, "dominator", R"(
  input %x: float32[4x4]
  %a: float32[4x4] = Relu(%x) "a"
  %c: float32[4x4] = MatMul(%a, %x) "c"
  %m: float32[4x4] = MatMul(%c, %x) "m"
  %b: float32[4x4] = Neg(%a) "b"
  %s: float32[4x4] = Add(%b, %m) "s"
  output %s)",
       "b:s", "a:b"},
      {Reason::MaxDepth, "dominator", long_chain(300), ""},
      {Reason::MaxOperators, "mapping", long_chain(80), ""},
      {Reason::MaxInputs, "dominator", long_sum(60), ""},
      {Reason::WorkingSet, "dp", R"(
  input %x: float32[512x512]
  %a: float32[512x512] = MatMul(%x, %x) "a"
  %b: float32[512x512] = MatMul(%a, %x) "b"
  output %b)"},
      {Reason::EdgeNotElementwise, "dominator", R"(
  input %x: float32[4x4]
  %a: float32[4x4] = Relu(%x) "a"
  %b: float32[4x4] = MatMul(%a, %x) "b"
  output %b)"},
      {Reason::PathTooComplex, "dominator", R"(
  input %x: float32[4x4]
  %a: float32[4x4] = Relu(%x) "a"
  %b: float32[4x4] = Neg(%a) "b"
  %m: float32[4x4] = MatMul(%b, %x) "m"
  %s: float32[4x4] = Add(%a, %m) "s"
  output %s)"},
      {Reason::PathNotInjective, "dominator", R"(
  input %x: float32[3x4]
  %a: float32[4x3] = Transpose(%x) "a"
  %b: float32[4x3] = Neg(%a) "b"
  %r: float32[4x1] = ReduceSum(%b) {axes = [1]} "r"
  %s: float32[4x3] = Add(%a, %r) "s"
  output %s)"},
      {Reason::SinkKind, "dominator", R"(
  input %x: float32[4x4]
  %a: float32[4x4] = Relu(%x) "a"
  %b: float32[4x2], %i: int64[4x2] = TopK(%a) {k = 2} "b"
  output %b)"},
      {Reason::DeferredToPhase1, "dominator", R"(
  input %x: float32[4x4]
  %a: float32[4x4] = Transpose(%x) "a"
  %m: float32[4x4] = MatMul(%x, %x) "m"
  %b: float32[4x4] = Add(%a, %m) "b"
  output %b)"},
      {Reason::ReductionDoesNotFuseForward, "dominator", R"(
  input %x: float32[4x4]
  %a: float32[4x1] = ReduceSum(%x) {axes = [1]} "a"
  %b: float32[4x1] = Relu(%a) "b"
  output %b)"},
      {Reason::SecondAnchor, "dominator", two_products},
      {Reason::NeverProfitable, "mapping", two_products},
  };
  return all;
}

Result<fusion::Plan> plan(const std::string& strategy, const graph::Graph& graph,
                          const fusion::PlanOptions& options) {
  for (const fusion::Strategy& each : passes::fusion_strategies())
    if (each.name == strategy) return each.plan(graph, options);
  throw std::invalid_argument(strategy);
}

graph::NodeId node_named(const graph::Graph& graph, const std::string& wanted) {
  for (const graph::NodePtr& node : graph.nodes())
    if (node->name == wanted) return node->id;
  throw std::invalid_argument(wanted);
}

fusion::Edge edge_named(const graph::Graph& graph, const std::string& text) {
  const std::size_t colon = text.find(':');
  return {node_named(graph, text.substr(0, colon)), node_named(graph, text.substr(colon + 1))};
}

class Reasons : public ::testing::TestWithParam<Row> {};

TEST_P(Reasons, AreGivenWithAConditionAndASentence) {
  const Row& row = GetParam();
  const graph::Graph graph = graph_of(row.graph);
  fusion::PlanOptions options;
  if (*row.forced) options.constraints.forced.insert(edge_named(graph, row.forced));
  if (*row.forbidden) options.constraints.forbidden.insert(edge_named(graph, row.forbidden));
  if (*row.edits)
    options.edits = std::make_shared<const fusion::EditScript>(*fusion::parse_edits(row.edits));
  const auto made = plan(row.strategy, graph, options);
  ASSERT_TRUE(made) << to_string(made.error());
  ASSERT_TRUE(fusion::verify(*made, graph));
  std::string others;
  for (const fusion::Decision& decision : made->decisions) {
    if (*row.edge &&
        fusion::Edge{decision.producer, decision.consumer} != edge_named(graph, row.edge))
      continue;
    if (decision.reason != row.reason) {
      others += fmt::format("{} ({}; {})\n", name(decision.reason), decision.condition,
                            decision.sentence);
      continue;
    }
    EXPECT_EQ(decision.fused, row.reason == Reason::Fused);
    EXPECT_FALSE(decision.condition.empty());
    EXPECT_THAT(decision.sentence, ::testing::EndsWith("."));
    return;
  }
  FAIL() << row.strategy << " does not say " << name(row.reason) << " but\n" << others;
}

INSTANTIATE_TEST_SUITE_P(Code, Reasons, ::testing::ValuesIn(rows()),
                         [](const auto& info) { return std::string(name(info.param.reason)); });

// Codes with a test of their own below: what a search left out, what a person asked for in vain,
// what depends on the machine, and what no operator of the library provokes.
const std::set<Reason> elsewhere{Reason::PrunedByBound, Reason::OutsideBeam,
                                 Reason::External,      Reason::Pinned,
                                 Reason::NotWorthIt,    Reason::LoweringUnsupported};

TEST(Reasons, HaveARowEach) {
  std::set<Reason> covered = elsewhere;
  for (const Row& row : rows())
    EXPECT_TRUE(covered.insert(row.reason).second) << name(row.reason) << " has two rows";
  for (std::size_t i = 0; i < fusion::reason_count; ++i) {
    const Reason reason = static_cast<Reason>(i);
    EXPECT_TRUE(covered.contains(reason)) << name(reason) << " has no row";
    EXPECT_THAT(std::string(explanation(reason)), ::testing::EndsWith("."));
  }
}

TEST(Reasons, OfSearchesComeAsEvents) {
  const graph::Graph network =
      test::random_network(3, {.operators = 20, .type = DataType::Float32});
  const fusion::BlockRules rules(network);
  const auto units = passes::make_units(rules, {});
  ASSERT_TRUE(units);
  std::set<Reason> given;
  double bound = std::numeric_limits<double>::infinity();
  for (const std::size_t beam : {1, 8}) {
    passes::IdealSearchOptions options;
    options.beam = beam;
    options.blocks_per_ideal = 64;
    options.upper_bound = bound;
    options.record_events = true;
    const auto found = passes::search_ideals(rules, *units, fusion::CostModel(), {}, options, {});
    ASSERT_TRUE(found);
    bound = found->cost;
    for (const fusion::PlanEvent& event : found->events) given.insert(event.reason);
  }
  EXPECT_TRUE(given.contains(Reason::OutsideBeam));
  EXPECT_TRUE(given.contains(Reason::PrunedByBound));
}

TEST(Reasons, OfWishesThatCannotBeComeAsDiagnostics) {
  const graph::Graph apart = graph_of(R"(
  input %x: float32[4]
  %a: float32[4] = Relu(%x) "a"
  %b: float32[4] = Neg(%x) "b"
  output %a
  output %b)");
  fusion::PlanOptions options;
  options.constraints.forced = {edge_named(apart, "a:b")};
  const auto external = plan("none", apart, options);
  ASSERT_FALSE(external);
  EXPECT_EQ(external.error().code, Code::PlanInvalid);
  EXPECT_THAT(to_string(external.error()), ::testing::HasSubstr(name(Reason::External)));

  const graph::Graph graph = graph_of(chain);
  fusion::PlanOptions by_hand;
  by_hand.edits = std::make_shared<const fusion::EditScript>(
      *fusion::parse_edits("base none\npin a\nmerge a, b"));
  const auto pinned = plan("manual", graph, by_hand);
  ASSERT_FALSE(pinned);
  EXPECT_THAT(to_string(pinned.error()), ::testing::HasSubstr(name(Reason::Pinned)));
}

// All operators of the library can be lowered; one that cannot is made up.
TEST(Reasons, OfTheLoweringNameTheOperator) {
  ops::OpDef sealed;
  sealed.name = "Sealed";
  sealed.inputs = {{"x"}};
  sealed.outputs = {{"y"}};
  sealed.infer = [](const ops::InferContext& context) -> Result<std::vector<TensorType>> {
    return std::vector{context.input(0)};
  };
  sealed.compute = [](ops::ComputeContext&) -> Result<std::vector<te::Tensor>> {
    return fail(Code::AttributeUnsupported, "sealed");
  };
  graph::GraphBuilder builder("g");
  const auto relu = builder.add_node("a", *ops::find_operator("Relu"),
                                     {builder.add_input("x", {DataType::Float32, {4}})}, {});
  ASSERT_TRUE(relu);
  const auto last = builder.add_node("b", sealed, {builder.output(*relu)}, {});
  ASSERT_TRUE(last) << to_string(last.error());
  builder.set_outputs({builder.output(*last)});
  const auto graph = std::move(builder).finish();
  ASSERT_TRUE(graph) << to_string(graph.error());
  const auto made = plan("mapping", *graph, {});
  ASSERT_TRUE(made) << to_string(made.error());
  ASSERT_EQ(made->decisions.size(), 1u);
  EXPECT_EQ(name(made->decisions.front().reason), name(Reason::LoweringUnsupported));
  EXPECT_THAT(made->decisions.front().sentence, ::testing::HasSubstr("b"));
}

// Whether it pays depends on the machine: here on one that is slow to read in jumps.
TEST(Reasons, OfCostAreGivenWithBothCosts) {
  const graph::Graph graph = graph_of(R"(
  input %x: float32[64x64]
  %a: float32[64x64] = Transpose(%x) "a"
  %b: float32[64] = ReduceSum(%a) {axes = [1], keepdims = 0} "b"
  output %b)");
  Machine slow;
  slow.strided_penalty = 1e6;
  fusion::PlanOptions options;
  options.cost = std::make_shared<const fusion::CostModel>(slow);
  const auto made = plan("mapping", graph, options);
  ASSERT_TRUE(made) << to_string(made.error());
  ASSERT_EQ(made->decisions.size(), 1u);
  const fusion::Decision& decision = made->decisions.front();
  EXPECT_EQ(name(decision.reason), name(Reason::NotWorthIt)) << decision.sentence;
  EXPECT_GE(decision.numbers.size(), 3u);
}

}  // namespace
}  // namespace loopglass
