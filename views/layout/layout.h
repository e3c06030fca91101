// Layout of directed acyclic graphs, apart from any widget: boxes and edges in, positions and
// curves out. Two engines stand behind one function. Graphviz's dot draws best, but its time grows
// with the total length of the edges in layers, not with the number of nodes; the layered engine of
// our own is plainer and handles a hundred thousand nodes. lay_out predicts dot's cost and chooses.
//
// Runs on any thread, takes as long as it takes, and is deterministic. Units are scene units, y
// grows downwards.
#pragma once

#include "core/support/cancellation.h"
#include "core/support/result.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace loopglass::layout {

struct Point {
  double x = 0, y = 0;
  friend bool operator==(const Point&, const Point&) = default;
};

struct Box {
  double left = 0, top = 0, width = 0, height = 0;
  bool empty() const { return width <= 0; }
  double right() const { return left + width; }
  double bottom() const { return top + height; }
};

struct Node {
  double width = 0, height = 0;
  int cluster = -1;  // -1: in none
};

struct Edge {
  std::uint32_t from = 0, to = 0;
};

struct LayoutGraph {
  std::vector<Node> nodes;
  std::vector<Edge> edges;  // no cycles, no self-loops
  int clusters = 0;
  double node_gap = 24, layer_gap = 48, cluster_padding = 12;
};

// A chain of cubic Bézier segments: a start, then three points a segment.
using Curve = std::vector<Point>;

enum class Engine : std::uint8_t { Graphviz, Layered };
std::string_view name(Engine engine);

struct Layout {
  Engine engine = Engine::Layered;
  std::chrono::nanoseconds duration{0};
  std::vector<Point> centres;  // one per node
  // One curve per edge from producer to consumer; two when the edge is so long that only its ends
  // are drawn: a stub leaving the producer and one arriving at the consumer.
  std::vector<std::vector<Curve>> edges;
  // One rectangle per cluster, around its members and no other node. Empty where there is none:
  // no members, or members that are interleaved with the rest of the graph.
  std::vector<Box> clusters;
  // Nodes that have room for a tag only, smaller than they are, for which the centres are then.
  std::vector<std::uint32_t> tags;
  std::vector<std::size_t> column_of;  // of each node, from the left; empty: there is one column
  Box bounds;
};

// What dot's time grows with: every layer an edge passes through, plus the nodes. Layers by longest
// path.
std::int64_t total_edge_span(const LayoutGraph& graph);

// Cancelled is the only diagnostic. Graphviz, once running, is not interrupted: the choice of
// engine keeps it short, and a failure of its own falls back to the layered engine.
Result<Layout> lay_out(const LayoutGraph& graph, const Cancellation& cancellation = {},
                       std::optional<Engine> wanted = {});

}  // namespace loopglass::layout
