// TVM's rule-based fusion: one case per rule, the steps it records, and plans of random graphs.
#include "passes/fusion/dominator.h"
#include "core/fusion/kernel.h"
#include "core/fusion/partition_builder.h"
#include "core/graph/dominators.h"
#include "core/loop/interpret_graph.h"
#include "core/loop/interpreter.h"
#include "core/loop/lower.h"
#include "passes/fusion/dominator_graph.h"
#include "passes/fusion/none.h"
#include "samples/samples.h"
#include "tests/fusion/plans.h"
#include "tests/graph/parsed.h"
#include "tests/random/random_graph.h"
#include "tests/random/random_inputs.h"
#include "tests/random/random_network.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <map>

namespace loopglass {
namespace {

using test::decision_on;
using test::graph_of;
using test::groups;

struct Rule {
  const char* name;
  const char* graph;
  const char* groups;
  const char* producer;  // of one edge
  const char* consumer;
  const char* reason;  // the verdict on it
};

class DominatorRule : public ::testing::TestWithParam<Rule> {};

TEST_P(DominatorRule, GroupsAndReasons) {
  const graph::Graph graph = graph_of(GetParam().graph);
  const auto plan = passes::fuse_by_dominators(graph, {});
  ASSERT_TRUE(plan) << to_string(plan.error());
  EXPECT_TRUE(fusion::verify(*plan, graph));
  EXPECT_EQ(groups(*plan, graph), GetParam().groups) << GetParam().name;
  const auto& edge =
      decision_on(*plan, graph, std::string(GetParam().producer) + ":" + GetParam().consumer);
  EXPECT_EQ(fusion::name(edge.reason), GetParam().reason) << GetParam().name;
}

INSTANTIATE_TEST_SUITE_P(
    All, DominatorRule,
    ::testing::Values(
        Rule{"An anchor takes its elementwise epilogue.", R"(
  input %x: float32[1x2x4x4]
  const %w: float32[2x2x1x1] = [1, 2, 3, 4]
  %c: float32[1x2x4x4] = Conv(%x, %w) "conv"
  %r: float32[1x2x4x4] = Relu(%c) "relu"
  output %r)",
             "{conv relu}", "conv", "relu", "FUSED"},
        Rule{"A prologue does not fuse: the edge is of the convolution's kind.", R"(
  input %x: float32[1x2x4x4]
  const %w: float32[2x2x1x1] = [1, 2, 3, 4]
  %r: float32[1x2x4x4] = Relu(%x) "relu"
  %c: float32[1x2x4x4] = Conv(%r, %w) "conv"
  output %c)",
             "{relu} {conv}", "relu", "conv", "EDGE_NOT_ELEMENTWISE"},
        Rule{"Two anchors never share a kernel.", R"(
  input %x: float32[4x4]
  input %y: float32[4x4]
  %a: float32[4x4] = MatMul(%x, %y) "first"
  %b: float32[4x4] = MatMul(%a, %y) "second"
  output %b)",
             "{first} {second}", "first", "second", "SECOND_ANCHOR"},
        Rule{"A diamond of elementwise operators is one kernel.", R"(
  input %x: float32[4]
  %t: float32[4] = Relu(%x) "top"
  %l: float32[4] = Neg(%t) "left"
  %r: float32[4] = Abs(%t) "right"
  %b: float32[4] = Add(%l, %r) "bottom"
  output %b)",
             "{top left right bottom}", "top", "left", "FUSED"},
        Rule{"A result of the network ends its kernel.", R"(
  input %x: float32[4]
  %a: float32[4] = Relu(%x) "a"
  %b: float32[4] = Neg(%a) "b"
  output %a
  output %b)",
             "{a} {b}", "a", "b", "GRAPH_OUTPUT"},
        Rule{"Paths that never meet again cannot be absorbed.", R"(
  input %x: float32[4]
  %a: float32[4] = Relu(%x) "a"
  %b: float32[4] = Neg(%a) "b"
  %c: float32[4] = Abs(%a) "c"
  output %b
  output %c)",
             "{a} {b} {c}", "a", "b", "NO_POST_DOMINATOR"},
        Rule{"Elementwise producers fuse into a reduction.", R"(
  input %x: float32[4x4]
  %a: float32[4x4] = Relu(%x) "relu"
  %s: float32[4] = ReduceSum(%a) {axes = [1], keepdims = 0} "sum"
  output %s)",
             "{relu sum}", "relu", "sum", "FUSED"},
        Rule{"A reduction does not fuse forward.", R"(
  input %x: float32[4x4]
  %s: float32[4] = ReduceSum(%x) {axes = [1], keepdims = 0} "sum"
  %r: float32[4] = Relu(%s) "relu"
  output %r)",
             "{sum} {relu}", "sum", "relu", "REDUCTION_DOES_NOT_FUSE_FORWARD"},
        Rule{"A reduction that is spread over the elements again can be followed.", R"(
  input %x: float32[4x4]
  %s: float32[4x4] = Softmax(%x) "softmax"
  %r: float32[4x4] = Relu(%s) "relu"
  output %r)",
             "{softmax relu}", "softmax", "relu", "FUSED"},
        Rule{"... by what reads it element by element only.", R"(
  input %x: float32[4x4]
  %s: float32[4x4] = Softmax(%x) "softmax"
  %m: float32[4x4] = MatMul(%s, %x) "matmul"
  output %m)",
             "{softmax} {matmul}", "softmax", "matmul", "SECOND_ANCHOR"},
        Rule{"Several results of reductions are opaque.", R"(
  input %x: float32[4x4]
  %v: float32[4x2], %i: int64[4x2] = TopK(%x) {k = 2} "top"
  %r: float32[4x2] = Relu(%v) "relu"
  output %r)",
             "{top} {relu}", "top", "relu", "OPAQUE_SOURCE"},
        Rule{"Injective chains fuse in phase 1.", R"(
  input %x: float32[2x4]
  %t: float32[4x2] = Transpose(%x) {perm = [1, 0]} "transpose"
  %r: float32[4x2] = Relu(%t) "relu"
  output %r)",
             "{transpose relu}", "transpose", "relu", "FUSED"},
        Rule{"An anchor takes a bias and a residual, and what makes the residual.", R"(
  input %x: float32[4x4]
  input %y: float32[4]
  %p: float32[4x4] = MatMul(%x, %x) "product"
  %b: float32[4x4] = Add(%p, %y) "bias"
  %r: float32[4x4] = Relu(%x) "residual"
  %s: float32[4x4] = Add(%b, %r) "sum"
  output %s)",
             "{product bias residual sum}", "residual", "sum", "FUSED"},
        Rule{"Of two anchors that meet, the first takes the meeting.", R"(
  input %x: float32[4x4]
  %p: float32[4x4] = MatMul(%x, %x) "first"
  %q: float32[4x4] = MatMul(%x, %x) "second"
  %s: float32[4x4] = Add(%p, %q) "sum"
  output %s)",
             "{second} {first sum}", "second", "sum", "SECOND_ANCHOR"},
        Rule{"All ways from an anchor to where they meet go along.", R"(
  input %x: float32[4x4]
  %p: float32[4x4] = MatMul(%x, %x) "product"
  %e: float32[4x4] = Exp(%p) "exp"
  %s: float32[4x4] = Add(%p, %e) "sum"
  output %s)",
             "{product exp sum}", "product", "exp", "FUSED"},
        Rule{"An anchor does not take an injective epilogue.", R"(
  input %x: float32[2x4]
  input %y: float32[4x4]
  %p: float32[2x4] = MatMul(%x, %y) "product"
  %t: float32[4x2] = Transpose(%p) "transpose"
  output %t)",
             "{product} {transpose}", "product", "transpose", "EDGE_NOT_ELEMENTWISE"},
        Rule{"An injective operator does not fuse into a reduction.", R"(
  input %x: float32[2x4]
  %t: float32[4x2] = Transpose(%x) "transpose"
  %s: float32[4] = ReduceSum(%t) {axes = [1], keepdims = 0} "sum"
  output %s)",
             "{transpose} {sum}", "transpose", "sum", "SINK_KIND"},
        Rule{"A split is injective, and takes what maps elements before it.", R"(
  input %x: float32[4]
  %r: float32[4] = Relu(%x) "relu"
  %a: float32[2], %b: float32[2] = Split(%r) {split = [2, 2]} "split"
  output %a
  output %b)",
             "{relu split}", "relu", "split", "FUSED"},
        Rule{"Phase 2 puts producers in front of a tuple that phase 1 took.", R"(
  input %x: float32[4]
  input %y: float32[4]
  %a: float32[4] = Relu(%x) "left"
  %b: float32[4] = Neg(%y) "right"
  %c: float32[8] = Concat(%a, %b) {axis = 0} "concat"
  %d: float32[8] = Abs(%c) "abs"
  output %d)",
             "{left right concat abs}", "left", "concat", "FUSED"},
        Rule{"What runs in an anchor's kernel is not put in front of a tuple.", R"(
  input %x: float32[4x4]
  %p: float32[4x4] = MatMul(%x, %x) "product"
  %r: float32[4x4] = Relu(%p) "relu"
  %c: float32[4x8] = Concat(%r, %x) {axis = 1} "concat"
  output %c)",
             "{product relu} {concat}", "relu", "concat", "SINK_IS_TUPLE"},
        Rule{"An anchor on the way to a tuple is another anchor, whatever the tuple does.", R"(
  input %x: float32[4x4]
  %p: float32[4x4] = MatMul(%x, %x) "product"
  %r: float32[4x4] = Relu(%p) "relu"
  %q: float32[4x4] = MatMul(%r, %x) "second"
  %c: float32[4x8] = Concat(%r, %q) {axis = 1} "concat"
  output %c)",
             "{product relu} {second} {concat}", "relu", "second", "SECOND_ANCHOR"},
        Rule{"A value that a tuple reads is written, and others read it from there.", R"(
  input %x: float32[4x4]
  %p: float32[4x4] = MatMul(%x, %x) "product"
  %r: float32[4x4] = Relu(%p) "relu"
  %n: float32[4x4] = Neg(%r) "neg"
  %c: float32[4x8] = Concat(%r, %n) {axis = 1} "concat"
  output %c)",
             "{product relu} {neg concat}", "relu", "neg", "INTERMEDIATE_STILL_USED"},
        Rule{"A reduction takes the map before it in phase 0, and a concatenation comes too late.",
             R"(
  input %x: float32[4x4]
  %a: float32[4x4] = Neg(%x) "neg"
  %c: float32[4x8] = Concat(%a, %x) {axis = 1} "concat"
  %r: float32[4x8] = Relu(%c) "relu"
  %s: float32[4] = ReduceSum(%r) {axes = [1], keepdims = 0} "sum"
  output %s)",
             "{neg concat} {relu sum}", "concat", "relu", "DEFERRED_TO_PHASE_1"}));

// Attention of so many tokens: its groups, and the verdict between the scores and their softmax.
std::pair<std::string, std::string> attention_planned(int tokens, int axis = 2,
                                                      const std::string& more = "") {
  const graph::Graph graph = graph_of(fmt::format(R"(
  input %q: float32[2x{0}x8]
  input %k: float32[2x8x{0}]
  input %v: float32[2x{0}x8]
  const %half: float32[] = [0.5]
  %s: float32[2x{0}x{0}] = MatMul(%q, %k) "scores"
  %c: float32[2x{0}x{0}] = Mul(%s, %half) "scaled"
  %p: float32[2x{0}x{0}] = Softmax(%c) {{axis = {1}}} "softmax"
  %y: float32[2x{0}x8] = MatMul(%p, %v) "weighed"
  output %y{2})",
                                                  tokens, axis, more));
  const auto plan = passes::fuse_by_dominators(graph, {});
  const fusion::Decision& decision = decision_on(*plan, graph, "scaled:softmax");
  return {groups(*plan, graph),
          fmt::format("{} {}", fusion::name(decision.reason), decision.condition)};
}

TEST(DominatorChains, OfRowsAreOneKernelWhereTheyHandOnMuch) {
  const std::string apart = "{scores scaled} {softmax} {weighed}";
  EXPECT_EQ(attention_planned(800),
            (std::pair<std::string, std::string>{
                "{scores scaled softmax weighed}",
                "FUSED phase 3: bytes(scaled) = 5120000, must be > 4194304"}));
  EXPECT_EQ(attention_planned(500),
            (std::pair<std::string, std::string>{
                apart, "SECOND_ANCHOR phase 3: bytes(scaled) = 2000000, must be > 4194304"}));
  EXPECT_EQ(attention_planned(800, 1).first, apart) << "a softmax of columns";
  EXPECT_EQ(attention_planned(800, 2, "\n  output %p").first, apart) << "others read it as well";
}

// Runs every group as one unscheduled kernel and compares with the graph, operator by operator.
void expect_kernels_equal_graph(const graph::Graph& graph, const fusion::Plan& plan,
                                std::uint64_t seed) {
  const std::vector<Tensor> inputs = test::random_inputs(graph, seed);
  const auto expected = loop::interpret_values(graph, inputs);
  ASSERT_TRUE(expected) << to_string(expected.error());
  for (const fusion::Group& group : plan.groups) {
    const auto kernel = fusion::kernel_program(graph, group);
    ASSERT_TRUE(kernel) << to_string(kernel.error());
    std::vector<Tensor> arguments;
    for (const graph::ValueId input : kernel->inputs) arguments.push_back(expected->at(input));
    for (const graph::ValueId output : kernel->outputs)
      arguments.emplace_back(graph.value(output).type);
    loop::interpret(loop::lower(kernel->program, group.name), arguments);
    for (std::size_t i = 0; i < kernel->outputs.size(); ++i) {
      const auto equal = runtime::compare(arguments[kernel->inputs.size() + i],
                                          expected->at(kernel->outputs[i]), 1e-5, 1e-5);
      EXPECT_TRUE(equal) << group.name << ": " << equal.error().what;
    }
  }
}

TEST(Fusion, PlansOfRandomGraphsAreLegalAndMeanTheSame) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    const graph::Graph graph = test::random_graph(seed, 4 + static_cast<int>(seed % 20));
    for (const auto& strategy : {passes::fuse_by_dominators, passes::fuse_nothing}) {
      const auto plan = strategy(graph, {});
      ASSERT_TRUE(plan) << "seed " << seed << ": " << to_string(plan.error());
      const auto legal = fusion::verify(*plan, graph);
      ASSERT_TRUE(legal) << "seed " << seed << ": " << legal.error().what;
      expect_kernels_equal_graph(graph, *plan, seed);
    }
  }
}

// Any nodes by any constraints: a plan comes out unless the constraints themselves cannot be.
TEST(Fusion, ConstraintsHoldInPlansOfRandomNetworks) {
  int planned = 0, with_cycle = 0;
  for (std::uint32_t seed = 0; seed < 400; ++seed) {
    const graph::Graph graph =
        seed % 2 == 0 ? test::random_graph(seed, 20)
                      : test::random_network(seed, {.operators = 20, .type = DataType::Float32});
    std::mt19937 random(seed);
    fusion::PlanOptions options;
    for (const graph::NodePtr& node : graph.nodes())
      for (const graph::ValueId value : node->outputs)
        for (const graph::Graph::Use& use : graph.uses(value)) {
          const auto choice = random() % 12;
          if (choice == 0) options.constraints.forced.insert({node->id, use.node});
          if (choice == 1) options.constraints.forbidden.insert({node->id, use.node});
        }
    const fusion::BlockRules rules(graph, {.operators = 256});
    const auto possible = fusion::PartitionBuilder(rules).force(options.constraints);
    for (const auto& strategy : {passes::fuse_by_dominators, passes::fuse_nothing}) {
      const auto plan = strategy(graph, options);
      ASSERT_EQ(plan.has_value(), possible.has_value())
          << "seed " << seed << (plan ? "" : ": " + to_string(plan.error()));
      if (!plan) continue;
      ++planned;
      const auto legal = fusion::verify(*plan, graph);
      ASSERT_TRUE(legal) << "seed " << seed << ": " << legal.error().what;
      for (const fusion::Edge& edge : options.constraints.forced)
        EXPECT_EQ(plan->group_of(edge.producer), plan->group_of(edge.consumer));
      for (const fusion::Edge& edge : options.constraints.forbidden)
        EXPECT_NE(plan->group_of(edge.producer), plan->group_of(edge.consumer));
      for (const fusion::Decision& decision : plan->decisions)
        with_cycle += decision.reason == fusion::Reason::WouldCycle;
    }
  }
  EXPECT_GT(planned, 100);
  EXPECT_GT(with_cycle, 0);
}

// --- the steps -----------------------------------------------------------------------------------

fusion::Plan recorded(const graph::Graph& graph) {
  fusion::PlanOptions options;
  options.record_events = true;
  return *passes::fuse_by_dominators(graph, options);
}

std::string steps(const fusion::Plan& plan, const graph::Graph& graph) {
  std::string text;
  for (const fusion::PlanEvent& event : plan.events) {
    std::vector<std::string> names;
    for (const graph::NodeId node : event.nodes) names.push_back(graph.node(node).name);
    text += fmt::format(
        "{} [{}]{}{}\n", name(event.kind), fmt::join(names, " "),
        event.other ? " at " + graph.node(event.other).name : "",
        event.reason == fusion::Reason::Fused ? "" : fmt::format(" {}", name(event.reason)));
  }
  return text;
}

TEST(DominatorSteps, TreeThenPhasesWithPathsAndMerges) {
  const graph::Graph graph = graph_of(R"(
  input %x: float32[4x4]
  %t: float32[4x4] = MatMul(%x, %x) "top"
  %l: float32[4x4] = Neg(%t) "left"
  %b: float32[4x4] = Add(%t, %l) "bottom"
  %s: float32[4x4] = Softmax(%b) "softmax"
  output %s)");
  EXPECT_EQ(steps(recorded(graph), graph),
            "ancestor [softmax]\n"
            "ancestor [bottom] at softmax\n"
            "ancestor [left] at bottom\n"
            "ancestor [top] at left\n"
            "ancestor [top left] at bottom\n"
            "phase []\n"
            "path [top left bottom]\n"
            "merge [top left bottom]\n"
            "refuse [bottom softmax] at softmax SECOND_ANCHOR\n"
            "refuse [softmax] GRAPH_OUTPUT\n"
            "phase []\n"
            "phase []\n"
            "phase []\n");
}

TEST(DominatorSteps, TheMergesReplayedAreThePlan) {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    const graph::Graph graph =
        test::random_network(seed, {.operators = 30, .type = DataType::Float32});
    SCOPED_TRACE(seed);
    test::expect_merges_give(recorded(graph), graph);
  }
}

// Where no operator joins tensors, the tree is the graph's own.
TEST(DominatorSteps, TheTreeIsThatOfPostDominators) {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    const graph::Graph graph = test::random_graph(seed, 25);
    const graph::DominatorTree tree(graph, graph::Direction::PostDominators);
    const fusion::BlockRules rules(graph);
    const passes::DominatorGraph found(rules, nullptr);
    for (const graph::NodePtr& node : graph.nodes()) {
      const std::size_t parent = found.parent(found.vertex_of(graph.position(node->id)));
      EXPECT_EQ(parent == passes::DominatorGraph::none ? graph::NodeId{} : found.node(parent),
                tree.parent(node->id))
          << "seed " << seed;
    }
  }
}

// --- the samples ---------------------------------------------------------------------------------

// How many kernels TVM's rules make is how many operators no rule lets join another; a kernel is
// named by its anchor. Published for TVM are counts of similar networks, exported by others (Niu et
// al., PLDI 2021; operators -> kernels), whose graphs are not known. Beside ours, by the rules:
//
//   VGG-16             51 ->  22    39 ->  22  the same network. A ReLU ends its Conv or Gemm, and
//                                              nothing ends a MaxPool but what comes after a Conv.
//   EfficientNet-B0   309 -> 195   288 -> 116  both operators of a swish end their Conv (the
//   product
//                                              post-dominates it, elementwise all the way), and so
//                                              does a residual sum; the scale of a squeeze is a
//                                              broadcast and ends none. 79 more kernels need as
//                                              many operators that this export writes otherwise.
//   MobileNet-V1      202 -> 124    85 ->  31  the classifier. Published is the detector (SSD) on
//   top
//                                              of it; the 71 that goes about is DNNFusion's count
//                                              of it.
//   YOLO-V4           398 -> 192   506 -> 123  all three operators of a mish end their Conv, and a
//                                              network that ends in its maps decodes no boxes: of
//                                              the 69 kernels of difference these are two possible
//                                              parts.
struct SampleCount {
  const char* sample;
  std::map<std::string, std::size_t> kernels;  // by the operator they are built around
};

TEST(DominatorSamples, KernelsOfTheNetworksAsImported) {
  const SampleCount counts[]{
      {"vgg16", {{"Conv", 13}, {"MaxPool", 5}, {"Gemm", 3}, {"Flatten", 1}}},
      {"efficientnet_b0",
       {{"Conv", 81}, {"GlobalAveragePool", 17}, {"Mul", 16}, {"Gemm", 1}, {"Flatten", 1}}},
      {"mobilenet_v1",
       {{"Conv", 27}, {"GlobalAveragePool", 1}, {"Flatten", 1}, {"Gemm", 1}, {"Softmax", 1}}},
      {"yolov4", {{"Conv", 110}, {"Concat", 10}, {"MaxPool", 3}}}};
  for (const SampleCount& expected : counts) {
    const auto graph = samples::find_sample(expected.sample)->build(0);
    ASSERT_TRUE(graph) << to_string(graph.error());
    const auto plan = passes::fuse_by_dominators(*graph, {});
    ASSERT_TRUE(plan) << to_string(plan.error());
    std::map<std::string, std::size_t> kernels;
    for (const fusion::Group& group : plan->groups) ++kernels[graph->node(group.anchor).op->name];
    EXPECT_EQ(kernels, expected.kernels) << expected.sample;
  }
}

TEST(DominatorSamples, NumbersOfKernelsOfTheOthers) {
  const std::map<std::string, std::size_t> counts{{"resnet50", 57}, {"lenet", 9}, {"mlp", 4}};
  for (const auto& [sample, kernels] : counts) {
    const auto graph = samples::find_sample(sample)->build(0);
    ASSERT_TRUE(graph) << to_string(graph.error());
    const auto plan = passes::fuse_by_dominators(*graph, {});
    ASSERT_TRUE(plan) << to_string(plan.error());
    EXPECT_EQ(plan->groups.size(), kernels) << sample;
  }
}

TEST(Fusion, APlanInTheWrongOrderIsRefused) {
  const graph::Graph graph = test::random_graph(5, 8);
  fusion::Plan plan = *passes::fuse_nothing(graph, {});
  std::reverse(plan.groups.begin(), plan.groups.end());
  EXPECT_FALSE(fusion::verify(plan, graph));
}

}  // namespace
}  // namespace loopglass
