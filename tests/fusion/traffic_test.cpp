// The bytes that a kernel moves, by its loop nests.
#include "core/fusion/traffic.h"

#include "core/fusion/cost_model.h"
#include "tests/graph/parsed.h"

#include <gtest/gtest.h>

#include <array>

namespace loopglass::fusion {
namespace {

graph::Graph network_with_traffic(const std::string& body) {
  return test::graph_of("input %in: float32[4x64]\n" + body);
}

constexpr std::int64_t matrix = 4 * 64 * 4, column = 4 * 4;

// A mean and what is subtracted from it are two nests: both read x, and the mean goes from one to
// the other.
TEST(TrafficOfAKernel, EveryNestReadsForItself) {
  const graph::Graph graph = network_with_traffic(R"(
  %x: float32[4x64] = Relu(%in) "x"
  %mean: float32[4x1] = ReduceMean(%x) {axes = [1]} "mean"
  %y: float32[4x64] = Sub(%x, %mean) "y"
  %z: float32[4x64] = Neg(%y) "z"
  output %z)");
  const BlockRules rules(graph);
  const Traffic found = traffic(rules, std::vector<std::size_t>{1, 2});
  EXPECT_EQ(found.read, 2 * matrix);
  EXPECT_EQ(found.written, matrix);
  EXPECT_EQ(found.kept, column);
  EXPECT_EQ(found.read_back, column);
  Traffic apart = traffic(rules, std::vector<std::size_t>{1});
  apart += traffic(rules, std::vector<std::size_t>{2});
  EXPECT_EQ(found.moved(), apart.moved());
}

// What a kernel hands to others, and reads again itself, is not kept apart.
TEST(TrafficOfAKernel, ReadsItsOwnResultsFromTheirPlace) {
  const graph::Graph graph = network_with_traffic(R"(
  %p: float32[4x64] = Relu(%in) "p"
  %c: float32[4x64] = CumSum(%p) {axis = 1} "c"
  %mean: float32[4x1] = ReduceMean(%c) {axes = [1]} "mean"
  %y: float32[4x64] = Neg(%c) "y"
  %z: float32[4x1] = Neg(%mean) "z"
  output %y
  output %z)");
  const BlockRules rules(graph);
  const Traffic found = traffic(rules, std::vector<std::size_t>{1, 2});
  EXPECT_EQ(found.read, 2 * matrix);
  EXPECT_EQ(found.written, matrix + column);
  EXPECT_EQ(found.kept + found.read_back, 0);
}

// Of the kernels that each hold one node.
Traffic apart(const BlockRules& rules, std::initializer_list<std::size_t> nodes) {
  Traffic all;
  for (const std::size_t node : nodes) all += traffic(rules, std::array{node});
  return all;
}

// Another shape of a tensor lies in the same memory: no kernel writes it, and who reads it reads
// the tensor.
TEST(TrafficOfAView, IsNone) {
  const graph::Graph graph = network_with_traffic(R"(
  %a: float32[4x64] = Relu(%in) "a"
  %f: float32[256] = Reshape(%a) {shape = [256]} "f"
  %y: float32[256] = Neg(%f) "y"
  output %y)");
  const BlockRules rules(graph);
  EXPECT_EQ(traffic(rules, std::array<std::size_t, 1>{1}).moved(), 0);
  EXPECT_EQ(apart(rules, {0, 1}).moved(), traffic(rules, std::array<std::size_t, 2>{0, 1}).moved());
  EXPECT_EQ(apart(rules, {1, 2}).moved(), traffic(rules, std::array<std::size_t, 2>{1, 2}).moved());
  // The tensor itself need not be written where all three are one.
  EXPECT_EQ(apart(rules, {0, 1, 2}).moved(), 2 * matrix);
  EXPECT_EQ(traffic(rules, std::array<std::size_t, 3>{0, 1, 2}).moved(), 0);
}

// A view within the kernel that makes the tensor lies where this does, if others need it as well.
TEST(TrafficOfAView, IsNoneBesideWhatItIsAViewOf) {
  const graph::Graph graph = network_with_traffic(R"(
  %a: float32[4x64] = Relu(%in) "a"
  %f: float32[256] = Reshape(%a) {shape = [256]} "f"
  %y: float32[256] = Neg(%f) "y"
  %z: float32[4x64] = Abs(%a) "z"
  output %y output %z)");
  const BlockRules rules(graph);
  EXPECT_EQ(traffic(rules, std::array<std::size_t, 2>{0, 1}).written, matrix);
  EXPECT_EQ(CostModel().cost(rules, std::array<std::size_t, 2>{0, 1}).total,
            CostModel().cost(rules, std::array<std::size_t, 1>{0}).total);
}

// What leaves the network under another shape is written there by whoever computes it.
TEST(TrafficOfAView, IsNoneAtTheEndOfTheNetwork) {
  const graph::Graph graph = network_with_traffic(R"(
  %a: float32[4x64] = Relu(%in) "a"
  %f: float32[256] = Reshape(%a) {shape = [256]} "f"
  output %f)");
  const BlockRules rules(graph);
  EXPECT_EQ(apart(rules, {0, 1}).moved(), 0);
  EXPECT_EQ(CostModel().cost(rules, std::array<std::size_t, 1>{1}).total, 0);
  // But of two results that are one tensor, one is copied; and an input is the caller's.
  const graph::Graph both = network_with_traffic(R"(
  %a: float32[4x64] = Relu(%in) "a"
  %f: float32[256] = Reshape(%a) {shape = [256]} "f"
  %g: float32[256] = Reshape(%in) {shape = [256]} "g"
  output %a output %f output %g)");
  const BlockRules copies(both);
  EXPECT_EQ(traffic(copies, std::array<std::size_t, 1>{1}).read, matrix);
  EXPECT_GT(CostModel().cost(copies, std::array<std::size_t, 1>{2}).total, 0);
}

}  // namespace
}  // namespace loopglass::fusion
