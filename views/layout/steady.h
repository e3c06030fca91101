// One drawing for all states of a graph that changes: whatever is in two states stands in the same
// place in both, because all states together are laid out once and each is a part of that drawing.
//
// Every thing has a key that names it in all states. What takes the place of something that is gone
// may share its place ("slot"). Where things vanish between two others, or come to stand between
// them, the edge that spans the gap is not laid out by itself: it runs through where they are.
// What is in no state that was laid out, such as what lives only in the middle of a step, finds a
// free place near its neighbours.
#pragma once

#include "views/layout/columns.h"

#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace loopglass::layout {

using Key = std::uint64_t;

struct KeyedEdge {
  Key from, to;
};

// One state of the graph, as a set of things and of edges between them.
struct SteadyState {
  std::vector<Key> nodes;
  std::vector<KeyedEdge> edges;  // no cycles
  // What, since the state before, took the place of what, one for one. Things may be named here
  // that are in no state.
  std::vector<std::pair<Key, Key>> successions;
};

struct SteadyGraph {
  std::vector<SteadyState> states;
  std::unordered_map<Key, Node> nodes;  // size and cluster of everything in any state
  int clusters = 0;
  double node_gap = 24, layer_gap = 48, cluster_padding = 12;
};

// What to draw of a state.
struct PartNode {
  Key key;
  double width, height;
  bool ghost = false;                    // gone: gives way to what stands in its place
  double tag_width = 0, tag_height = 0;  // of a ghost, where there is no room for more
};
struct PartEdge {
  std::uint32_t from, to;  // of the part's nodes
};

class SteadyDrawing {
 public:
  // Of all nodes and edges of a part, in their order; clusters are those of the graph. What has no
  // place in the drawing is given one, and keeps it as long as the caller keeps `guests`. Where the
  // drawing is cut into columns it stays within its own, if there is room; the part is not cut.
  Layout part(const std::vector<PartNode>& nodes, const std::vector<PartEdge>& edges,
              std::unordered_map<Key, Point>& guests, const Columns& columns = {}) const;
  // In which the whole of it suits a view of this size.
  Columns columns(double width, double height) const {
    return choose_columns(whole_, slots_, width, height);
  }
  const Layout& whole() const { return whole_; }  // its nodes are slots

 private:
  friend class PartMaker;
  friend Result<SteadyDrawing> lay_out_steadily(const SteadyGraph& graph,
                                                const Cancellation& cancellation);
  using SlotEdge = std::pair<std::uint32_t, std::uint32_t>;

  std::vector<Curve> curve_of(std::uint32_t from, std::uint32_t to, int depth) const;
  // The seats that the edge between two runs through, if it was not laid out by itself.
  std::vector<std::uint32_t> stops_between(std::uint32_t from, std::uint32_t to,
                                           int depth = 0) const;

  Layout whole_;
  std::vector<Node> slots_;
  std::unordered_map<Key, std::uint32_t> slot_of_;
  std::map<SlotEdge, std::size_t> laid_out_;  // places in whole_.edges
  // The slots an edge runs through, between its ends.
  std::map<SlotEdge, std::vector<std::uint32_t>> spans_;
};

Result<SteadyDrawing> lay_out_steadily(const SteadyGraph& graph,
                                       const Cancellation& cancellation = {});

}  // namespace loopglass::layout
