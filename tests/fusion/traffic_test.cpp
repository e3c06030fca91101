// The bytes that a kernel moves, by its loop nests.
#include "core/fusion/traffic.h"

#include "tests/graph/parsed.h"

#include <gtest/gtest.h>

namespace loopglass::fusion {
namespace {

graph::Graph network(const std::string& body) {
  return testing::graph_of("input %in: float32[4x64]\n" + body);
}

constexpr std::int64_t matrix = 4 * 64 * 4, column = 4 * 4;

// A mean and what is subtracted from it are two nests: both read x, and the mean goes from one to
// the other.
TEST(TrafficOfAKernel, EveryNestReadsForItself) {
  const graph::Graph graph = network(R"(
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
  const graph::Graph graph = network(R"(
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

}  // namespace
}  // namespace loopglass::fusion
