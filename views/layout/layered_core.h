// The layered drawing of a flat graph, without clusters: the part of layered_engine.h that is used
// twice, once inside each cluster and once for the whole.
#pragma once

#include "views/layout/layout.h"

#include <span>

namespace loopglass::layout {

// Layer of every node: 0 for nodes without predecessors, else one more than the lowest predecessor.
// CHECKs that there is no cycle.
std::vector<int> longest_path_layers(std::size_t node_count, std::span<const Edge> edges);

enum class Pin : std::uint8_t { None, First, Last };  // to a layer above, or below, all others

struct FlatNode {
  double width = 0, height = 0;
  Pin pin = Pin::None;
};

// Leaves its producer `from_dx` beside the centre, arrives `to_dx` beside the consumer's.
struct FlatEdge {
  std::uint32_t from = 0, to = 0;
  double from_dx = 0, to_dx = 0;
};

struct FlatLayout {
  std::vector<Point> centres;
  std::vector<std::vector<Curve>> edges;
  double width = 0, height = 0;  // all of it lies in [0, width] x [0, height]
};

struct Spacing {
  double node_gap, layer_gap;
  double pin_gap;  // between a pinned layer and its neighbour
};

Result<FlatLayout> lay_out_flat(const std::vector<FlatNode>& nodes,
                                const std::vector<FlatEdge>& edges, const Spacing& spacing,
                                const Cancellation& cancellation);

}  // namespace loopglass::layout
