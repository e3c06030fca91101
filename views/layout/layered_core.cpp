// Drawing a graph in layers, after Sugiyama, Tagawa and Toda, "Methods for Visual Understanding of
// Hierarchical System Structures" (1981), in the four classical steps:
//
// 1. Layers. A node's layer is its longest path from a source; then nodes with more consumers than
//    producers sink towards their consumers, which shortens the edges (Gansner et al., "A Technique
//    for Drawing Directed Graphs", 1993, give the optimum; this is its cheap part).
// 2. Slots. An edge over several layers becomes a chain of dummies, one slot in each layer it
// passes,
//    so that nothing is drawn across it. The dummies, not the nodes, are what makes big graphs
//    slow: an edge over more than `longest_drawn_edge` layers is cut, and only its two ends are
//    drawn.
// 3. Order. Depth-first search from the sources gives each layer a first order. Sweeps down and up
//    then sort each layer by the barycentre of its neighbours' places; the order with the fewest
//    crossings seen is kept.
// 4. Coordinates. Within a layer the order and the distances are given, and every slot has a place
//    it would like best: where its neighbours are. The least-squares answer is an isotonic
//    regression, which the pool-adjacent-violators algorithm finds in one pass. The main line and
//    the middles of long edges weigh more, so that they run straight. A few sweeps down and up, and
//    one with both neighbours at once.
//
// Every step is linear, or nearly, in the number of slots, and none depends on addresses or chance.
#include "views/layout/layered_drawing.h"

#include "core/support/check.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace loopglass::layout {
namespace {

constexpr int longest_drawn_edge = 10;
constexpr double dummy_width = 6;
// How straight a piece of an edge wants to be: the main line, and the middle of a long edge, run
// straight; where a long edge joins a node is the place to bend.
constexpr double node_weight = 8, end_weight = 1, dummy_weight = 8;

void sink_towards_consumers(std::vector<int>& layers, const std::vector<Edge>& edges) {
  std::vector<std::vector<std::uint32_t>> consumers(layers.size());
  std::vector<std::size_t> producers(layers.size());
  for (const Edge& edge : edges) {
    consumers[edge.from].push_back(edge.to);
    ++producers[edge.to];
  }
  // Bottom up, so that what sinks pulls along what feeds it.
  std::vector<std::uint32_t> order(layers.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return layers[a] > layers[b]; });
  for (const std::uint32_t node : order) {
    if (consumers[node].size() <= producers[node]) continue;
    int highest = layers[consumers[node].front()];
    for (const std::uint32_t consumer : consumers[node])
      highest = std::min(highest, layers[consumer]);
    layers[node] = highest - 1;
  }
}

}  // namespace

void LayeredDrawing::assign_layers() {
  const auto pinned = [&](Pin pin) {
    return std::any_of(nodes_.begin(), nodes_.end(),
                       [&](const FlatNode& node) { return node.pin == pin; });
  };
  std::vector<Edge> free_edges;  // between nodes that are not pinned
  for (const FlatEdge& edge : edges_)
    if (nodes_[edge.from].pin == Pin::None && nodes_[edge.to].pin == Pin::None)
      free_edges.push_back({edge.from, edge.to});
  layer_of_ = longest_path_layers(nodes_.size(), free_edges);
  sink_towards_consumers(layer_of_, free_edges);

  const int shift = pinned(Pin::First) ? 1 : 0;
  int last = 0;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    layer_of_[i] = nodes_[i].pin == Pin::First ? 0 : layer_of_[i] + shift;
    last = std::max(last, layer_of_[i]);
  }
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (nodes_[i].pin == Pin::Last) layer_of_[i] = last + 1;
  layers_.resize(static_cast<std::size_t>(last) + (pinned(Pin::Last) ? 2 : 1));
}

void LayeredDrawing::link(std::uint32_t above, std::uint32_t below, double above_dx,
                          double below_dx) {
  const int dummies = (slots_[above].edge >= 0) + (slots_[below].edge >= 0);
  // Of several edges between two boxes the first runs straight; their mean would suit none of them.
  const bool again = std::any_of(below_[above].begin(), below_[above].end(),
                                 [&](const Link& link) { return link.other == below; });
  const double weight = dummies == 2            ? dummy_weight
                        : dummies == 1 || again ? end_weight
                                                : node_weight;
  below_[above].push_back({below, above_dx, below_dx, weight});
  above_[below].push_back({above, below_dx, above_dx, weight});
}

void LayeredDrawing::make_slots() {
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    slots_.push_back({nodes_[i].width, nodes_[i].height, layer_of_[i], -1, 0});
  chains_.resize(edges_.size());
  cut_.resize(edges_.size());
  for (std::size_t i = 0; i < edges_.size(); ++i) {
    const int from = layer_of_[edges_[i].from], to = layer_of_[edges_[i].to];
    cut_[i] = to - from > longest_drawn_edge;
    if (cut_[i]) continue;
    for (int layer = from + 1; layer < to; ++layer) {
      chains_[i].push_back(static_cast<std::uint32_t>(slots_.size()));
      slots_.push_back({dummy_width, 0, layer, static_cast<int>(i), 0});
    }
  }
  above_.resize(slots_.size());
  below_.resize(slots_.size());
  for (std::size_t i = 0; i < edges_.size(); ++i) {
    if (cut_[i]) continue;
    std::uint32_t previous = edges_[i].from;
    double dx = edges_[i].from_dx;
    for (const std::uint32_t dummy : chains_[i]) {
      link(previous, dummy, dx, 0);
      previous = dummy;
      dx = 0;
    }
    link(previous, edges_[i].to, dx, edges_[i].to_dx);
  }
}

// Straight through layers, where slots keep the way free, and S-shaped between them.
std::vector<Curve> LayeredDrawing::curves_of(std::size_t index) const {
  const FlatEdge& edge = edges_[index];
  const auto middle = [&](std::uint32_t slot) {
    const auto layer = static_cast<std::size_t>(slots_[slot].layer);
    return layer_top_[layer] + layer_height_[layer] / 2;
  };
  const Point start{slots_[edge.from].x + edge.from_dx,
                    middle(edge.from) + slots_[edge.from].height / 2};
  const Point end{slots_[edge.to].x + edge.to_dx, middle(edge.to) - slots_[edge.to].height / 2};
  const auto straight = [](Curve& curve, Point to) {
    const Point from = curve.back();
    if (std::abs(from.x - to.x) + std::abs(from.y - to.y) < 1e-6) return;
    curve.insert(curve.end(), {{from.x + (to.x - from.x) / 3, from.y + (to.y - from.y) / 3},
                               {from.x + (to.x - from.x) * 2 / 3, from.y + (to.y - from.y) * 2 / 3},
                               to});
  };
  if (cut_[index]) {
    const double length = spacing_.layer_gap * 0.45;
    Curve leaving{start}, arriving{{end.x, end.y - length}};
    straight(leaving, {start.x, start.y + length});
    straight(arriving, end);
    return {leaving, arriving};
  }
  Curve curve{start};
  const auto bend = [&](Point to) {
    const Point from = curve.back();
    const double half = (from.y + to.y) / 2;
    if (std::abs(from.x - to.x) < 1e-6) straight(curve, to);
    else curve.insert(curve.end(), {{from.x, half}, {to.x, half}, to});
  };
  const auto bottom = [&](int layer) {
    return layer_top_[static_cast<std::size_t>(layer)] +
           layer_height_[static_cast<std::size_t>(layer)];
  };
  straight(curve, {start.x, bottom(layer_of_[edge.from])});
  for (const std::uint32_t dummy : chains_[index]) {
    const Slot& slot = slots_[dummy];
    bend({slot.x, layer_top_[static_cast<std::size_t>(slot.layer)]});
    straight(curve, {slot.x, bottom(slot.layer)});
  }
  bend({end.x, layer_top_[static_cast<std::size_t>(layer_of_[edge.to])]});
  straight(curve, end);
  if (curve.size() == 1) curve.insert(curve.end(), 3, end);  // both ends meet
  return {curve};
}

FlatLayout LayeredDrawing::result() const {
  FlatLayout layout;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const auto layer = static_cast<std::size_t>(slots_[i].layer);
    layout.centres.push_back({slots_[i].x, layer_top_[layer] + layer_height_[layer] / 2});
  }
  for (std::size_t i = 0; i < edges_.size(); ++i) layout.edges.push_back(curves_of(i));
  for (const Slot& slot : slots_) layout.width = std::max(layout.width, slot.x + slot.width / 2);
  if (!layers_.empty()) layout.height = layer_top_.back() + layer_height_.back();
  return layout;
}

std::vector<int> longest_path_layers(std::size_t node_count, std::span<const Edge> edges) {
  std::vector<std::vector<std::uint32_t>> consumers(node_count);
  std::vector<int> waiting(node_count), layers(node_count);
  for (const Edge& edge : edges) {
    consumers[edge.from].push_back(edge.to);
    ++waiting[edge.to];
  }
  std::vector<std::uint32_t> ready;
  for (std::uint32_t i = 0; i < node_count; ++i)
    if (waiting[i] == 0) ready.push_back(i);
  for (std::size_t done = 0; done < ready.size(); ++done) {
    const std::uint32_t node = ready[done];
    for (const std::uint32_t consumer : consumers[node]) {
      layers[consumer] = std::max(layers[consumer], layers[node] + 1);
      if (--waiting[consumer] == 0) ready.push_back(consumer);
    }
  }
  CHECK(ready.size() == node_count, "the graph to lay out has a cycle");
  return layers;
}

Result<FlatLayout> lay_out_flat(const std::vector<FlatNode>& nodes,
                                const std::vector<FlatEdge>& edges, const Spacing& spacing,
                                const Cancellation& cancellation) {
  if (nodes.empty()) return FlatLayout{};
  return LayeredDrawing(nodes, edges, spacing, cancellation).draw();
}

}  // namespace loopglass::layout
