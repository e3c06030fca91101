// Columns: nothing lies on anything else, everything keeps its order, and the whole is larger in a
// view.
#include "views/layout/columns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace loopglass::layout {
namespace {

LayoutGraph chain(std::uint32_t length, std::uint32_t skips) {
  LayoutGraph graph;
  for (std::uint32_t i = 0; i < length; ++i) {
    graph.nodes.push_back({100.0 + i % 7 * 10, 40});
    if (i > 0) graph.edges.push_back({i - 1, i});
  }
  std::mt19937 random(7);
  for (std::uint32_t s = 0; s < skips; ++s) {
    const std::uint32_t from = static_cast<std::uint32_t>(random()) % (length - 2);
    const std::uint32_t by =
        2 + static_cast<std::uint32_t>(random()) % std::min<std::uint32_t>(length - from - 2, 30);
    graph.edges.push_back({from, from + by});
  }
  return graph;
}

double zoom(const Layout& layout, double width, double height) {
  return std::min(width / layout.bounds.width, height / layout.bounds.height);
}

TEST(Columns, ATallDrawingIsLargerInColumns) {
  for (const std::uint32_t skips : {0u, 20u}) {
    const LayoutGraph graph = chain(120, skips);
    const Layout tall = *lay_out(graph);
    const Columns columns = choose_columns(tall, graph.nodes, 1000, 600);
    ASSERT_GT(columns.count(), 2u);
    const Layout wide = in_columns(tall, columns);
    EXPECT_GT(zoom(wide, 1000, 600), 2 * zoom(tall, 1000, 600));
    for (std::size_t a = 0; a < graph.nodes.size(); ++a) {
      const Point at = wide.centres[a];
      EXPECT_GE(at.x - graph.nodes[a].width / 2, wide.bounds.left - 1);
      EXPECT_LE(at.x + graph.nodes[a].width / 2, wide.bounds.right() + 1);
      EXPECT_GE(at.y, wide.bounds.top);
      EXPECT_LE(at.y, wide.bounds.bottom());
      for (std::size_t b = a + 1; b < graph.nodes.size(); ++b)
        ASSERT_FALSE(std::abs(at.x - wide.centres[b].x) <
                         (graph.nodes[a].width + graph.nodes[b].width) / 2 - 1 &&
                     std::abs(at.y - wide.centres[b].y) < 39)
            << a << " lies on " << b;
    }
    for (std::size_t e = 0; e < graph.edges.size(); ++e) {
      const auto& pieces = wide.edges[e];
      ASSERT_TRUE(pieces.size() == 1 || pieces.size() == 2);
      for (const Curve& piece : pieces) EXPECT_EQ(piece.size() % 3, 1u);
      // It leaves its producer and arrives at its consumer.
      const Point from = wide.centres[graph.edges[e].from], to = wide.centres[graph.edges[e].to];
      EXPECT_LT(std::hypot(pieces.front().front().x - from.x, pieces.front().front().y - from.y),
                110);
      EXPECT_LT(std::hypot(pieces.back().back().x - to.x, pieces.back().back().y - to.y), 110);
    }
  }
}

TEST(Columns, AChainIsDrawnAllTheWay) {
  const LayoutGraph graph = chain(100, 0);
  const Layout tall = *lay_out(graph);
  const Layout wide = in_columns(tall, choose_columns(tall, graph.nodes, 1200, 700));
  for (const auto& pieces : wide.edges) {
    ASSERT_EQ(pieces.size(), 1u);
    // Without jumps: a segment begins where the one before it ends, which is how curves are held,
    // and none is longer than the way from a column's foot to the next one's head.
    EXPECT_GT(pieces.front().size(), 3u);
  }
}

// Another plan or step of the network is another drawing, as tall or not: what both have stands in
// the same column of both.
TEST(Columns, AnotherDrawingHasThemAtTheSameBoxes) {
  const LayoutGraph graph = chain(120, 20);
  const Layout tall = *lay_out(graph);
  const Layout wide = in_columns(tall, choose_columns(tall, graph.nodes, 1000, 600));
  ASSERT_EQ(wide.column_of.size(), graph.nodes.size());
  LayoutGraph other = graph;
  for (std::size_t i = 0; i < 40; ++i) other.nodes[i].height = 160;
  const Layout other_tall = *lay_out(other);
  const auto wanted = [&](std::size_t every) {
    std::vector<std::optional<std::size_t>> columns(other.nodes.size());
    for (std::size_t i = 0; i < columns.size(); i += every) columns[i] = wide.column_of[i];
    return columns;
  };
  EXPECT_NE(in_columns(other_tall, choose_columns(other_tall, other.nodes, 1000, 600)).column_of,
            wide.column_of)
      << "by itself it would have others";
  EXPECT_EQ(in_columns(other_tall, columns_like(other_tall, other.nodes, wanted(1))).column_of,
            wide.column_of);
  // What only one of them has stands with its neighbours.
  const Layout some = in_columns(other_tall, columns_like(other_tall, other.nodes, wanted(3)));
  for (std::size_t i = 0; i < other.nodes.size(); ++i) {
    if (i % 3 == 0) {
      EXPECT_EQ(some.column_of[i], wide.column_of[i]);
    } else {
      EXPECT_GE(some.column_of[i], wide.column_of[i - i % 3]);
    }
  }
  EXPECT_EQ(columns_like(other_tall, other.nodes, wanted(other.nodes.size())).count(), 1u);
}

TEST(Columns, WhatCanBeReadStaysInOne) {
  const LayoutGraph graph = chain(5, 0);
  const Layout small = *lay_out(graph);
  EXPECT_EQ(choose_columns(small, graph.nodes, 1000, 800).count(), 1u);
  EXPECT_EQ(choose_columns(small, graph.nodes, 0, 800).count(), 1u);
  EXPECT_EQ(choose_columns({}, {}, 1000, 800).count(), 1u);
  EXPECT_EQ(in_columns(small, {}).centres, small.centres);
}

// A cut that is not quite in the middle is better than a kernel in two pieces.
TEST(Columns, AKernelStaysWholeWhereThereIsAPlaceBesideIt) {
  LayoutGraph graph = chain(40, 0);
  graph.clusters = 1;
  for (std::size_t node = 16; node <= 23; ++node) graph.nodes[node].cluster = 0;
  const Layout tall = *lay_out(graph);
  for (const double height : {900, 700}) {
    const Columns columns = choose_columns(tall, graph.nodes, 600, height);
    EXPECT_GT(columns.count(), 1u);
    EXPECT_FALSE(in_columns(tall, columns).clusters[0].empty()) << columns.count();
  }
}

// Nor is one cut because the same boxes stand in two columns elsewhere, where it is no kernel.
TEST(Columns, AKernelStaysWholeBesideAnotherDrawing) {
  const LayoutGraph graph = chain(40, 0);
  const Layout tall = *lay_out(graph);
  const Layout wide = in_columns(tall, choose_columns(tall, graph.nodes, 600, 700));
  const auto cut =
      static_cast<std::uint32_t>(std::ranges::find(wide.column_of, 1u) - wide.column_of.begin());
  ASSERT_LT(cut, graph.nodes.size());
  LayoutGraph other = chain(40, 0);
  other.clusters = 1;
  for (std::uint32_t node = cut - 2; node < cut + 2; ++node) other.nodes[node].cluster = 0;
  const Layout other_tall = *lay_out(other);
  const std::vector<std::optional<std::size_t>> wanted(wide.column_of.begin(),
                                                       wide.column_of.end());
  const Layout beside = in_columns(other_tall, columns_like(other_tall, other.nodes, wanted));
  EXPECT_FALSE(beside.clusters[0].empty());
  EXPECT_EQ(beside.column_of.back(), wide.column_of.back());
}

TEST(Columns, AKernelThatIsCutHasNoFrame) {
  LayoutGraph graph = chain(80, 0);
  graph.clusters = 1;
  for (Node& node : graph.nodes) node.cluster = 0;
  const Layout tall = *lay_out(graph);
  const Layout wide = in_columns(tall, choose_columns(tall, graph.nodes, 1000, 500));
  EXPECT_TRUE(wide.clusters[0].empty());
}

}  // namespace
}  // namespace loopglass::layout
