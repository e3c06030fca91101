// TVM's rule-based fusion: one case per rule, the reasons it gives, and plans of random graphs.
#include "core/fusion/kernel.h"
#include "core/graph/text.h"
#include "core/loop/interpret_graph.h"
#include "core/loop/interpreter.h"
#include "core/loop/lower.h"
#include "core/runtime/executor.h"
#include "passes/fusion/dominator.h"
#include "passes/fusion/none.h"
#include "tests/random/random_graph.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace loopglass {
namespace {

graph::Graph parsed(const std::string& text) {
  auto graph = graph::parse(text);
  if (!graph) throw std::invalid_argument(to_string(graph.error()));
  return *std::move(graph);
}

// "{a b} {c}": the groups in running order.
std::string groups(const fusion::Plan& plan, const graph::Graph& graph) {
  std::vector<std::string> parts;
  for (const fusion::Group& group : plan.groups) {
    std::vector<std::string> names;
    for (const graph::NodeId node : group.nodes) names.push_back(graph.node(node).name);
    parts.push_back(fmt::format("{{{}}}", fmt::join(names, " ")));
  }
  return fmt::format("{}", fmt::join(parts, " "));
}

std::string reason(const fusion::Plan& plan, const graph::Graph& graph, const std::string& producer, const std::string& consumer) {
  for (const fusion::Decision& decision : plan.decisions)
    if (graph.node(decision.producer).name == producer && graph.node(decision.consumer).name == consumer)
      return std::string(fusion::name(decision.reason));
  return "no such edge";
}

struct Rule {
  const char* name;
  const char* graph;
  const char* groups;
  const char* producer;  // of one edge
  const char* consumer;
  const char* reason;    // the verdict on it
};

class DominatorRule : public ::testing::TestWithParam<Rule> {};

TEST_P(DominatorRule, GroupsAndReasons) {
  const graph::Graph graph = parsed(GetParam().graph);
  const auto plan = passes::fuse_by_dominators(graph);
  ASSERT_TRUE(plan) << to_string(plan.error());
  EXPECT_TRUE(fusion::verify(*plan, graph));
  EXPECT_EQ(groups(*plan, graph), GetParam().groups) << GetParam().name;
  EXPECT_EQ(reason(*plan, graph, GetParam().producer, GetParam().consumer), GetParam().reason) << GetParam().name;
}

INSTANTIATE_TEST_SUITE_P(
    All, DominatorRule,
    ::testing::Values(
        Rule{"An anchor takes its elementwise epilogue.", R"(graph "g" {
  input %x: float32[1x2x4x4]
  const %w: float32[2x2x1x1] = [1, 2, 3, 4]
  %c: float32[1x2x4x4] = Conv(%x, %w) "conv"
  %r: float32[1x2x4x4] = Relu(%c) "relu"
  output %r
})", "{conv relu}", "conv", "relu", "FUSED"},
        Rule{"A prologue does not fuse: the edge is of the convolution's kind.", R"(graph "g" {
  input %x: float32[1x2x4x4]
  const %w: float32[2x2x1x1] = [1, 2, 3, 4]
  %r: float32[1x2x4x4] = Relu(%x) "relu"
  %c: float32[1x2x4x4] = Conv(%r, %w) "conv"
  output %c
})", "{relu} {conv}", "relu", "conv", "EDGE_NOT_ELEMENTWISE"},
        Rule{"Two anchors never share a kernel.", R"(graph "g" {
  input %x: float32[4x4]
  input %y: float32[4x4]
  %a: float32[4x4] = MatMul(%x, %y) "first"
  %b: float32[4x4] = MatMul(%a, %y) "second"
  output %b
})", "{first} {second}", "first", "second", "SECOND_ANCHOR"},
        Rule{"A diamond of elementwise operators is one kernel.", R"(graph "g" {
  input %x: float32[4]
  %t: float32[4] = Relu(%x) "top"
  %l: float32[4] = Neg(%t) "left"
  %r: float32[4] = Abs(%t) "right"
  %b: float32[4] = Add(%l, %r) "bottom"
  output %b
})", "{top left right bottom}", "top", "left", "FUSED"},
        Rule{"A result of the network ends its kernel.", R"(graph "g" {
  input %x: float32[4]
  %a: float32[4] = Relu(%x) "a"
  %b: float32[4] = Neg(%a) "b"
  output %a
  output %b
})", "{a} {b}", "a", "b", "GRAPH_OUTPUT"},
        Rule{"Paths that never meet again cannot be absorbed.", R"(graph "g" {
  input %x: float32[4]
  %a: float32[4] = Relu(%x) "a"
  %b: float32[4] = Neg(%a) "b"
  %c: float32[4] = Abs(%a) "c"
  output %b
  output %c
})", "{a} {b} {c}", "a", "b", "NO_POST_DOMINATOR"},
        Rule{"Elementwise producers fuse into a reduction.", R"(graph "g" {
  input %x: float32[4x4]
  %a: float32[4x4] = Relu(%x) "relu"
  %s: float32[4] = ReduceSum(%a) {axes = [1], keepdims = 0} "sum"
  output %s
})", "{relu sum}", "relu", "sum", "FUSED"},
        Rule{"A reduction does not fuse forward.", R"(graph "g" {
  input %x: float32[4x4]
  %s: float32[4] = ReduceSum(%x) {axes = [1], keepdims = 0} "sum"
  %r: float32[4] = Relu(%s) "relu"
  output %r
})", "{sum} {relu}", "sum", "relu", "REDUCTION_DOES_NOT_FUSE_FORWARD"},
        Rule{"Several dependent reductions are opaque.", R"(graph "g" {
  input %x: float32[4x4]
  %s: float32[4x4] = Softmax(%x) "softmax"
  %r: float32[4x4] = Relu(%s) "relu"
  output %r
})", "{softmax} {relu}", "softmax", "relu", "OPAQUE_SOURCE"},
        Rule{"Injective chains fuse in phase 1.", R"(graph "g" {
  input %x: float32[2x4]
  %t: float32[4x2] = Transpose(%x) {perm = [1, 0]} "transpose"
  %r: float32[4x2] = Relu(%t) "relu"
  output %r
})", "{transpose relu}", "transpose", "relu", "FUSED"}));

// Runs every group as one unscheduled kernel and compares with the graph, operator by operator.
void expect_kernels_equal_graph(const graph::Graph& graph, const fusion::Plan& plan, std::uint64_t seed) {
  std::vector<Tensor> inputs;
  for (const graph::ValueId input : graph.inputs())
    inputs.push_back(runtime::random_tensor(graph.value(input).type, seed + inputs.size()));
  const auto expected = loop::interpret_values(graph, inputs);
  ASSERT_TRUE(expected) << to_string(expected.error());
  for (const fusion::Group& group : plan.groups) {
    const auto kernel = fusion::kernel_program(graph, group);
    ASSERT_TRUE(kernel) << to_string(kernel.error());
    std::vector<Tensor> arguments;
    for (const graph::ValueId input : kernel->inputs) arguments.push_back(expected->at(input));
    for (const graph::ValueId output : kernel->outputs) arguments.emplace_back(graph.value(output).type);
    loop::interpret(loop::lower(kernel->program, group.name), arguments);
    for (std::size_t i = 0; i < kernel->outputs.size(); ++i) {
      const auto equal = runtime::compare(arguments[kernel->inputs.size() + i], expected->at(kernel->outputs[i]), 1e-5, 1e-5);
      EXPECT_TRUE(equal) << group.name << ": " << equal.error().what;
    }
  }
}

TEST(Fusion, PlansOfRandomGraphsAreLegalAndMeanTheSame) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    const graph::Graph graph = testing::random_graph(seed, 4 + static_cast<int>(seed % 20));
    for (const auto& strategy : {passes::fuse_by_dominators, passes::fuse_nothing}) {
      const auto plan = strategy(graph);
      ASSERT_TRUE(plan) << "seed " << seed << ": " << to_string(plan.error());
      const auto legal = fusion::verify(*plan, graph);
      ASSERT_TRUE(legal) << "seed " << seed << ": " << legal.error().what;
      expect_kernels_equal_graph(graph, *plan, seed);
    }
  }
}

TEST(Fusion, APlanInTheWrongOrderIsRefused) {
  const graph::Graph graph = testing::random_graph(5, 8);
  fusion::Plan plan = *passes::fuse_nothing(graph);
  std::reverse(plan.groups.begin(), plan.groups.end());
  EXPECT_FALSE(fusion::verify(plan, graph));
}

}  // namespace
}  // namespace loopglass
