// Blocks that grow by merging: never in a circle, whatever the order of the merges and whoever
// asks.
#include "core/fusion/partition_builder.h"
#include "core/fusion/partition.h"
#include "tests/graph/parsed.h"
#include "tests/random/random_network.h"

#include <gtest/gtest.h>
#include <random>

namespace loopglass::fusion {
namespace {

Constraints forced(const graph::Graph& graph,
                   const std::vector<std::pair<const char*, const char*>>& edges) {
  Constraints constraints;
  for (const auto& [producer, consumer] : edges)
    constraints.forced.insert({graph.find_node(producer)->id, graph.find_node(consumer)->id});
  return constraints;
}

// What leaves the cache may be asked for all the same; a circle may not.
TEST(PartitionBuilder, ForcedEdgesMayLeaveTheCacheButCloseNoCircle) {
  const graph::Graph graph = test::graph_of(R"(
  input %x: float32[512x512]
  %p: float32[512x512] = MatMul(%x, %x) "p"
  %a: float32[512x512] = MatMul(%p, %x) "a"
  %c: float32[512x512] = MatMul(%a, %x) "c"
  %b: float32[512x512] = MatMul(%a, %c) "b"
  output %b)");
  const BlockRules rules(graph);
  PartitionBuilder partition(rules);
  EXPECT_EQ(name(partition.refuse(0, 1)->reason), "WORKING_SET");
  EXPECT_TRUE(partition.force(forced(graph, {{"p", "a"}})));
  const auto circle = partition.force(forced(graph, {{"p", "a"}, {"a", "b"}}));
  ASSERT_FALSE(circle);
  EXPECT_NE(to_string(circle.error()).find("WOULD_CYCLE"), std::string::npos)
      << to_string(circle.error());
}

// The builder keeps an order of its blocks; here every merge is checked against the graph itself.
TEST(PartitionBuilder, RefusesExactlyWhatWouldCloseACircle) {
  int circles = 0, merges = 0;
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    const graph::Graph graph =
        test::random_network(seed, {.operators = 25, .type = DataType::Float32});
    const BlockRules rules(graph);
    PartitionBuilder partition(rules);
    std::mt19937 random(seed);
    for (int attempt = 0; attempt < 80; ++attempt) {
      const std::size_t node = random() % graph.nodes().size();
      if (rules.successors(node).empty()) continue;
      const std::size_t reader = rules.successors(node)[random() % rules.successors(node).size()];
      const std::size_t a = partition.block_of(node), b = partition.block_of(reader);
      if (a == b) continue;
      std::vector<std::size_t> part = partition.blocks();
      std::replace(part.begin(), part.end(), b, a);
      const bool can_run = plan_of_partition(graph, "", part, rules.kinds()).has_value();
      const auto refusal = random() % 2 == 0 ? partition.refuse(a, b) : partition.refuse(b, a);
      if (!refusal) {
        ASSERT_TRUE(can_run) << "seed " << seed;
        partition.merge(a, b);
        ++merges;
      } else {
        ASSERT_EQ(refusal->reason == Reason::WouldCycle, !can_run) << "seed " << seed;
        circles += !can_run;
      }
      // Built from the same blocks at once, it answers alike.
      const PartitionBuilder again(rules, partition.blocks());
      const std::size_t other = rules.successors(node).front();
      const std::size_t x = again.block_of(node), y = again.block_of(other);
      const std::size_t own_x = partition.block_of(node), own_y = partition.block_of(other);
      if (x == y) continue;
      ASSERT_EQ(again.refuse(x, y).has_value(), partition.refuse(own_x, own_y).has_value());
    }
  }
  EXPECT_GT(circles, 20);
  EXPECT_GT(merges, 200);
}

}  // namespace
}  // namespace loopglass::fusion
