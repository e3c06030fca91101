// What a drawing of a graph must satisfy, whichever engine made it, on graphs of the shapes that
// real networks have: chains, residual blocks, and one tensor that feeds every block.
#include "views/layout/layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <random>
#include <vector>

namespace loopglass::layout {
namespace {

// `blocks` times: a chain of three and an addition that also takes what went into the block.
LayoutGraph residual_network(std::uint32_t blocks) {
  LayoutGraph graph;
  graph.nodes.push_back({120, 40});
  for (std::uint32_t b = 0; b < blocks; ++b) {
    const std::uint32_t entry = b * 4;
    for (int i = 0; i < 4; ++i) graph.nodes.push_back({120, 40});
    for (std::uint32_t i = 0; i < 4; ++i) graph.edges.push_back({entry + i, entry + i + 1});
    graph.edges.push_back({entry, entry + 4});
  }
  return graph;
}

// The same, and one more tensor (an attention mask, say) that every block reads.
LayoutGraph masked_network(std::uint32_t blocks) {
  LayoutGraph graph = residual_network(blocks);
  const auto mask = static_cast<std::uint32_t>(graph.nodes.size());
  graph.nodes.push_back({60, 30});
  for (std::uint32_t b = 0; b < blocks; ++b) graph.edges.push_back({mask, b * 4 + 2});
  return graph;
}

// Every block's four nodes are a cluster: a convex one, as fused groups are.
LayoutGraph grouped_network(std::uint32_t blocks) {
  LayoutGraph graph = residual_network(blocks);
  graph.clusters = static_cast<int>(blocks);
  for (std::uint32_t i = 1; i < graph.nodes.size(); ++i)
    graph.nodes[i].cluster = static_cast<int>((i - 1) / 4);
  return graph;
}

LayoutGraph random_network(unsigned seed, std::uint32_t count, bool clustered) {
  std::mt19937 random(seed);
  LayoutGraph graph;
  graph.clusters = clustered ? 5 : 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const int cluster = clustered ? static_cast<int>(random() % 6) - 1 : -1;
    graph.nodes.push_back({40.0 + random() % 100, 20.0 + random() % 40, cluster});
    for (int k = 0; i > 0 && k < 2; ++k) {
      const std::uint32_t back = 1 + random() % std::min<std::uint32_t>(i, 8);
      graph.edges.push_back({i - back, i});
    }
  }
  return graph;
}

Box box_of(const LayoutGraph& graph, const Layout& layout, std::size_t node) {
  const Node& size = graph.nodes[node];
  const Point centre = layout.centres[node];
  return {centre.x - size.width / 2, centre.y - size.height / 2, size.width, size.height};
}

bool overlap(const Box& a, const Box& b, double slack = 0.5) {
  return a.left + slack < b.right() && b.left + slack < a.right() && a.top + slack < b.bottom() &&
         b.top + slack < a.bottom();
}

bool contains(const Box& outer, const Box& inner, double slack = 0.5) {
  return outer.left - slack <= inner.left && outer.top - slack <= inner.top &&
         inner.right() <= outer.right() + slack && inner.bottom() <= outer.bottom() + slack;
}

bool touches(const Box& box, Point point, double reach) {
  return point.x > box.left - reach && point.x < box.right() + reach && point.y > box.top - reach &&
         point.y < box.bottom() + reach;
}

struct Case {
  std::string name;
  LayoutGraph graph;
};

std::vector<Case> small_cases() {
  std::vector<Case> cases = {
      {"one node", {.nodes = {{100, 40}}, .edges = {}}},
      {"two nodes apart", {.nodes = {{100, 40}, {50, 30}}, .edges = {}}},
      {"twice the same edge", {.nodes = {{100, 40}, {50, 30}}, .edges = {{0, 1}, {0, 1}}}},
      {"residual blocks", residual_network(8)},
      {"a tensor for every block", masked_network(8)},
      {"groups", grouped_network(6)}};
  for (unsigned seed = 0; seed < 8; ++seed)
    cases.push_back({"random " + std::to_string(seed), random_network(seed, 60, false)});
  for (unsigned seed = 0; seed < 8; ++seed)
    cases.push_back({"random with interleaved clusters " + std::to_string(seed),
                     random_network(seed, 40, true)});
  return cases;
}

class EveryEngine : public testing::TestWithParam<Engine> {
 protected:
  Layout lay_out_here(const LayoutGraph& graph) {
    Result<Layout> layout = lay_out(graph, {}, GetParam());
    EXPECT_TRUE(layout) << layout.error().what;
    return layout ? *layout : Layout{};
  }
};

// No two boxes overlap, and all of them lie within the bounds.
TEST_P(EveryEngine, KeepsNodesApart) {
  for (const auto& [name, graph] : small_cases()) {
    SCOPED_TRACE(name);
    const Layout layout = lay_out_here(graph);
    ASSERT_EQ(layout.centres.size(), graph.nodes.size());
    for (std::size_t a = 0; a < graph.nodes.size(); ++a) {
      EXPECT_TRUE(contains(layout.bounds, box_of(graph, layout, a))) << "node " << a;
      for (std::size_t b = 0; b < a; ++b)
        EXPECT_FALSE(overlap(box_of(graph, layout, a), box_of(graph, layout, b)))
            << a << " and " << b;
    }
  }
}

// A curve begins at its producer's box, ends at its consumer's, and is whole Bézier segments.
TEST_P(EveryEngine, ConnectsEdges) {
  for (const auto& [name, graph] : small_cases()) {
    SCOPED_TRACE(name);
    const Layout layout = lay_out_here(graph);
    ASSERT_EQ(layout.edges.size(), graph.edges.size());
    for (std::size_t e = 0; e < graph.edges.size(); ++e) {
      const auto& pieces = layout.edges[e];
      ASSERT_TRUE(pieces.size() == 1 || pieces.size() == 2);
      for (const Curve& piece : pieces) {
        ASSERT_GE(piece.size(), 4u);
        EXPECT_EQ(piece.size() % 3, 1u);
      }
      EXPECT_TRUE(touches(box_of(graph, layout, graph.edges[e].from), pieces.front().front(), 3));
      EXPECT_TRUE(touches(box_of(graph, layout, graph.edges[e].to), pieces.back().back(), 3));
    }
  }
}

// Data flows downwards: every consumer stands wholly below its producers.
TEST_P(EveryEngine, PutsConsumersBelowProducers) {
  for (const auto& [name, graph] : small_cases()) {
    SCOPED_TRACE(name);
    const Layout layout = lay_out_here(graph);
    for (const Edge& edge : graph.edges)
      EXPECT_LT(box_of(graph, layout, edge.from).bottom(), box_of(graph, layout, edge.to).top);
  }
}

// A cluster's rectangle holds its members and touches nobody else.
TEST_P(EveryEngine, FramesClusters) {
  for (const auto& [name, graph] : small_cases()) {
    SCOPED_TRACE(name);
    const Layout layout = lay_out_here(graph);
    ASSERT_EQ(layout.clusters.size(), static_cast<std::size_t>(graph.clusters));
    for (int c = 0; c < graph.clusters; ++c) {
      const Box frame = layout.clusters[static_cast<std::size_t>(c)];
      if (frame.empty()) continue;
      for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        if (graph.nodes[i].cluster == c)
          EXPECT_TRUE(contains(frame, box_of(graph, layout, i))) << i;
        else EXPECT_FALSE(overlap(frame, box_of(graph, layout, i))) << i;
      }
    }
  }
}

// Groups of a real plan are never interleaved, so every one has its rectangle.
TEST_P(EveryEngine, FramesEveryConvexCluster) {
  for (const Box& frame : lay_out_here(grouped_network(6)).clusters) EXPECT_FALSE(frame.empty());
}

TEST_P(EveryEngine, IsDeterministic) {
  for (const auto& [name, graph] : small_cases()) {
    SCOPED_TRACE(name);
    const Layout first = lay_out_here(graph), second = lay_out_here(graph);
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      EXPECT_EQ(first.centres[i].x, second.centres[i].x);
      EXPECT_EQ(first.centres[i].y, second.centres[i].y);
    }
  }
}

TEST_P(EveryEngine, DrawsNothingForAnEmptyGraph) {
  const Layout layout = lay_out_here({});
  EXPECT_TRUE(layout.centres.empty());
  EXPECT_TRUE(layout.edges.empty());
}

TEST_P(EveryEngine, StopsWhenCancelled) {
  const Cancellation cancellation;
  cancellation.request();
  const Result<Layout> layout = lay_out(residual_network(20), cancellation, GetParam());
  ASSERT_FALSE(layout);
  EXPECT_EQ(layout.error().code, Code::Cancelled);
}

INSTANTIATE_TEST_SUITE_P(Engines, EveryEngine, testing::Values(Engine::Graphviz, Engine::Layered),
                         [](const auto& info) {
                           return info.param == Engine::Graphviz ? "Graphviz" : "Layered";
                         });

// In a tree nothing has to cross, and a parent stands over the middle of its children.
TEST(LayeredEngine, DrawsATreeWithoutCrossings) {
  LayoutGraph graph;
  for (std::uint32_t i = 0; i < 31; ++i) graph.nodes.push_back({60, 30});
  for (std::uint32_t i = 1; i < 31; ++i) graph.edges.push_back({(i - 1) / 2, i});
  const Layout layout = *lay_out(graph, {}, Engine::Layered);
  // Child's y -> (child x, parent x).
  std::map<double, std::vector<std::pair<double, double>>> rows;
  for (const Edge& edge : graph.edges)
    rows[layout.centres[edge.to].y].emplace_back(layout.centres[edge.to].x,
                                                 layout.centres[edge.from].x);
  EXPECT_EQ(rows.size(), 4u);
  for (auto& [y, row] : rows) {
    std::sort(row.begin(), row.end());
    for (std::size_t i = 1; i < row.size(); ++i) EXPECT_LE(row[i - 1].second, row[i].second);
  }
}

// `stages` times: one node, and below it six chains of three, each a cluster, beside each other.
LayoutGraph branching_network(int stages) {
  LayoutGraph graph;
  graph.nodes.push_back({120, 40});
  for (int stage = 0; stage < stages; ++stage) {
    const auto fork = static_cast<std::uint32_t>(graph.nodes.size() - 1);
    std::vector<std::uint32_t> ends;
    for (int branch = 0; branch < 6; ++branch, ++graph.clusters) {
      std::uint32_t last = fork;
      for (int i = 0; i < 3; ++i) {
        const auto next = static_cast<std::uint32_t>(graph.nodes.size());
        graph.nodes.push_back({60.0 + 10 * branch, 30, graph.clusters});
        graph.edges.push_back({last, next});
        last = next;
      }
      ends.push_back(last);
    }
    const auto join = static_cast<std::uint32_t>(graph.nodes.size());
    graph.nodes.push_back({120, 40});
    for (const std::uint32_t end : ends) graph.edges.push_back({end, join});
  }
  return graph;
}

// Frees small blocks of memory in any order, so that what is made next lies anywhere.
void scatter_memory(std::mt19937& random) {
  std::vector<std::unique_ptr<char[]>> blocks;
  for (int i = 0; i < 4000; ++i)
    blocks.push_back(std::make_unique<char[]>(16 + 8 * static_cast<std::size_t>(i % 8)));
  std::shuffle(blocks.begin(), blocks.end(), random);
  for (auto& block : blocks) block.reset();
}

// Nothing of where things happen to lie in memory shows in a drawing.
TEST(GraphvizEngine, DrawsTheSameGraphAlikeEveryTime) {
  std::mt19937 random(3);
  const LayoutGraph graph = branching_network(4);
  const Layout first = *lay_out(graph, {}, Engine::Graphviz);
  for (int time = 0; time < 20; ++time) {
    scatter_memory(random);
    EXPECT_EQ(lay_out(graph, {}, Engine::Graphviz)->centres, first.centres);
  }
}

// Those of an operator with several results can be told apart.
TEST(LayeredEngine, DrawsEdgesOfTheSameNodesSideBySide) {
  LayoutGraph graph;
  graph.nodes = {{120, 40}, {120, 40}, {30, 40}};
  graph.edges = {{0, 1}, {0, 1}, {0, 1}, {1, 2}, {1, 2}};
  const auto layout = lay_out(graph, {}, Engine::Layered);
  ASSERT_TRUE(layout) << to_string(layout.error());
  const auto starts_at = [&](std::size_t e) {
    return layout->edges[e].front().front().x - layout->centres[graph.edges[e].from].x;
  };
  EXPECT_NEAR(starts_at(0), -18, 1e-9);
  EXPECT_NEAR(starts_at(1), 0, 1e-9);
  EXPECT_NEAR(starts_at(2), 18, 1e-9);
  EXPECT_NEAR(starts_at(3), -5, 1e-9) << "inside the narrower node";
  EXPECT_NEAR(starts_at(4), 5, 1e-9);
}

// An edge over more layers than anyone can follow is drawn as two stubs.
TEST(LayeredEngine, CutsLongEdges) {
  const LayoutGraph graph = masked_network(20);
  const Layout layout = *lay_out(graph, {}, Engine::Layered);
  std::size_t cut = 0;
  for (const auto& pieces : layout.edges) cut += pieces.size() == 2;
  EXPECT_GT(cut, 10u);
  EXPECT_LT(cut, 20u);
}

TEST(ChoiceOfEngine, TakesDotWhereItIsQuick) {
  EXPECT_EQ(lay_out(residual_network(40))->engine, Engine::Graphviz);
}

// The nodes are few, but one tensor's edges pass through every layer.
TEST(ChoiceOfEngine, GoesByEdgeSpanAndNotByNodes) {
  const LayoutGraph graph = masked_network(100);
  EXPECT_LT(graph.nodes.size(), 500u);
  EXPECT_GT(total_edge_span(graph), 20'000);
  EXPECT_EQ(lay_out(graph)->engine, Engine::Layered);
}

TEST(ChoiceOfEngine, LaysOutTenThousandNodesInUnderASecond) {
  for (const LayoutGraph& graph :
       {residual_network(2500), masked_network(2500), grouped_network(2500)}) {
    const Layout layout = *lay_out(graph);
    EXPECT_EQ(layout.engine, Engine::Layered);
    EXPECT_LT(layout.duration, std::chrono::seconds(1));
  }
}

}  // namespace
}  // namespace loopglass::layout
