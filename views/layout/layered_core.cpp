// Drawing a graph in layers, after Sugiyama, Tagawa and Toda, "Methods for Visual Understanding of
// Hierarchical System Structures" (1981), in the four classical steps:
//
// 1. Layers. A node's layer is its longest path from a source; then nodes with more consumers than
//    producers sink towards their consumers, which shortens the edges (Gansner et al., "A Technique
//    for Drawing Directed Graphs", 1993, give the optimum; this is its cheap part).
// 2. Slots. An edge over several layers becomes a chain of dummies, one slot in each layer it passes,
//    so that nothing is drawn across it. The dummies, not the nodes, are what makes big graphs slow:
//    an edge over more than `longest_drawn_edge` layers is cut, and only its two ends are drawn.
// 3. Order. Depth-first search from the sources gives each layer a first order. Sweeps down and up
//    then sort each layer by the barycentre of its neighbours' places; the order with the fewest
//    crossings seen is kept.
// 4. Coordinates. Within a layer the order and the distances are given, and every slot has a place it
//    would like best: where its neighbours are. The least-squares answer is an isotonic regression,
//    which the pool-adjacent-violators algorithm finds in one pass. Long edges weigh more, so that
//    they run straight. A few sweeps down and up, and one with both neighbours at once.
//
// Every step is linear, or nearly, in the number of slots, and none depends on addresses or chance.
#include "views/layout/layered_core.h"

#include "core/support/check.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace loopglass::layout {
namespace {

constexpr int longest_drawn_edge = 10;
constexpr int order_sweeps = 8;
constexpr int coordinate_sweeps = 8;
constexpr double dummy_width = 6;
// As in dot: the more of an edge's end is dummy, the straighter it wants to be.
constexpr double node_weight = 1, end_weight = 2, dummy_weight = 8;

struct Slot {
  double width = 0, height = 0;
  int layer = 0;
  int edge = -1;  // dummies: the edge they belong to
  double x = 0;   // centre
};

// A piece of an edge between neighbouring layers, seen from one end.
struct Link {
  std::uint32_t other;
  double dx, other_dx;  // where the edge meets this slot and the other, beside their centres
  double weight;
};

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
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return layers[a] > layers[b]; });
  for (const std::uint32_t node : order) {
    if (consumers[node].size() <= producers[node]) continue;
    int highest = layers[consumers[node].front()];
    for (const std::uint32_t consumer : consumers[node]) highest = std::min(highest, layers[consumer]);
    layers[node] = highest - 1;
  }
}

class LayeredDrawing {
 public:
  LayeredDrawing(const std::vector<FlatNode>& nodes, const std::vector<FlatEdge>& edges,
                 const Spacing& spacing, const Cancellation& cancellation)
      : nodes_(nodes), edges_(edges), spacing_(spacing), cancellation_(cancellation) {}

  Result<FlatLayout> draw() {
    assign_layers();
    make_slots();
    order_layers();
    if (cancellation_.requested()) return fail(Code::Cancelled, "the layout was cancelled");
    place_slots();
    if (cancellation_.requested()) return fail(Code::Cancelled, "the layout was cancelled");
    place_layers();
    return result();
  }

 private:
  void assign_layers();
  void make_slots();
  void link(std::uint32_t above, std::uint32_t below, double above_dx, double below_dx);
  void order_layers();
  void depth_first_order();
  void sort_by_barycentre(std::vector<std::uint32_t>& layer, const std::vector<std::vector<Link>>& links);
  void number_places();
  std::int64_t crossings() const;
  void place_slots();
  void fit_layer(const std::vector<std::uint32_t>& layer, bool use_above, bool use_below);
  double gap(const Slot& left, const Slot& right) const;
  void place_layers();
  FlatLayout result() const;
  std::vector<Curve> curves_of(std::size_t edge) const;

  const std::vector<FlatNode>& nodes_;
  const std::vector<FlatEdge>& edges_;
  const Spacing& spacing_;
  const Cancellation& cancellation_;

  std::vector<int> layer_of_;
  std::vector<Slot> slots_;  // nodes first, then dummies
  std::vector<std::vector<std::uint32_t>> chains_;  // dummies of each edge, from top to bottom
  std::vector<bool> cut_;
  std::vector<std::vector<Link>> above_, below_;
  std::vector<std::vector<std::uint32_t>> layers_;
  std::vector<std::size_t> place_;  // of a slot in its layer
  std::vector<double> layer_top_, layer_height_;
};

void LayeredDrawing::assign_layers() {
  const auto pinned = [&](Pin pin) {
    return std::any_of(nodes_.begin(), nodes_.end(), [&](const FlatNode& node) { return node.pin == pin; });
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

void LayeredDrawing::link(std::uint32_t above, std::uint32_t below, double above_dx, double below_dx) {
  const int dummies = (slots_[above].edge >= 0) + (slots_[below].edge >= 0);
  const double weight = dummies == 2 ? dummy_weight : dummies == 1 ? end_weight : node_weight;
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

void LayeredDrawing::depth_first_order() {
  std::vector<bool> seen(slots_.size());
  std::vector<std::uint32_t> stack;
  for (std::uint32_t root = 0; root < slots_.size(); ++root) {
    if (!above_[root].empty()) continue;
    stack.push_back(root);
    while (!stack.empty()) {
      const std::uint32_t slot = stack.back();
      stack.pop_back();
      if (seen[slot]) continue;
      seen[slot] = true;
      layers_[static_cast<std::size_t>(slots_[slot].layer)].push_back(slot);
      for (auto link = below_[slot].rbegin(); link != below_[slot].rend(); ++link)
        if (!seen[link->other]) stack.push_back(link->other);
    }
  }
}

void LayeredDrawing::number_places() {
  for (const auto& layer : layers_)
    for (std::size_t i = 0; i < layer.size(); ++i) place_[layer[i]] = i;
}

void LayeredDrawing::sort_by_barycentre(std::vector<std::uint32_t>& layer,
                                        const std::vector<std::vector<Link>>& links) {
  std::vector<std::pair<double, std::uint32_t>> keyed;
  keyed.reserve(layer.size());
  for (const std::uint32_t slot : layer) {
    double sum = 0;
    for (const Link& link : links[slot]) {
      // Where on a wide neighbour the edge meets it orders the edges of one neighbour.
      const double beside = link.other_dx / std::max(1.0, slots_[link.other].width);
      sum += static_cast<double>(place_[link.other]) + 0.5 * beside;
    }
    const bool alone = links[slot].empty();
    keyed.emplace_back(alone ? static_cast<double>(place_[slot]) : sum / static_cast<double>(links[slot].size()), slot);
  }
  std::stable_sort(keyed.begin(), keyed.end(), [](auto& a, auto& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < layer.size(); ++i) {
    layer[i] = keyed[i].second;
    place_[layer[i]] = i;
  }
}

// Inversions between neighbouring layers, counted with a Fenwick tree.
std::int64_t LayeredDrawing::crossings() const {
  std::int64_t count = 0;
  std::vector<std::int64_t> tree;
  std::vector<std::size_t> ends;
  for (std::size_t l = 0; l + 1 < layers_.size(); ++l) {
    tree.assign(layers_[l + 1].size() + 1, 0);
    std::int64_t entered = 0;
    for (const std::uint32_t slot : layers_[l]) {
      ends.clear();
      for (const Link& link : below_[slot]) ends.push_back(place_[link.other]);
      for (const std::size_t end : ends) {
        std::int64_t not_right = 0;
        for (std::size_t i = end + 1; i > 0; i -= i & -i) not_right += tree[i];
        count += entered - not_right;
      }
      for (const std::size_t end : ends) {
        for (std::size_t i = end + 1; i < tree.size(); i += i & -i) ++tree[i];
        ++entered;
      }
    }
  }
  return count;
}

void LayeredDrawing::order_layers() {
  depth_first_order();
  place_.resize(slots_.size());
  number_places();
  auto best = layers_;
  std::int64_t fewest = crossings();
  for (int sweep = 0; sweep < order_sweeps && fewest > 0 && !cancellation_.requested(); ++sweep) {
    if (sweep % 2 == 0)
      for (std::size_t l = 1; l < layers_.size(); ++l) sort_by_barycentre(layers_[l], above_);
    else
      for (std::size_t l = layers_.size() - 1; l-- > 0;) sort_by_barycentre(layers_[l], below_);
    if (const std::int64_t now = crossings(); now < fewest) {
      fewest = now;
      best = layers_;
    }
  }
  layers_ = std::move(best);
  number_places();
}

double LayeredDrawing::gap(const Slot& left, const Slot& right) const {
  const bool dummy = left.edge >= 0 || right.edge >= 0;
  return (left.width + right.width) / 2 + spacing_.node_gap * (dummy ? 0.5 : 1);
}

// Moves the slots of a layer as near as possible to their neighbours' places. With the distances
// taken off, "in order and not too close" becomes "ascending".
void LayeredDrawing::fit_layer(const std::vector<std::uint32_t>& layer, bool use_above, bool use_below) {
  struct Pool {
    double sum, weight;
    std::size_t count;
    double mean() const { return sum / weight; }
  };
  std::vector<Pool> pools;
  std::vector<double> offsets(layer.size());
  for (std::size_t i = 0; i < layer.size(); ++i) {
    const Slot& slot = slots_[layer[i]];
    if (i > 0) offsets[i] = offsets[i - 1] + gap(slots_[layer[i - 1]], slot);
    double sum = 0, weight = 0;
    const auto pull = [&](const std::vector<Link>& links) {
      for (const Link& link : links) {
        sum += link.weight * (slots_[link.other].x + link.other_dx - link.dx);
        weight += link.weight;
      }
    };
    if (use_above) pull(above_[layer[i]]);
    if (use_below) pull(below_[layer[i]]);
    if (weight == 0) {  // stays where it is unless it is in the way
      weight = 0.01;
      sum = weight * slot.x;
    }
    pools.push_back({sum - weight * offsets[i], weight, 1});
    while (pools.size() > 1 && pools[pools.size() - 2].mean() >= pools.back().mean()) {
      const Pool last = pools.back();
      pools.pop_back();
      pools.back() = {pools.back().sum + last.sum, pools.back().weight + last.weight, pools.back().count + last.count};
    }
  }
  std::size_t i = 0;
  for (const Pool& pool : pools)
    for (const std::size_t end = i + pool.count; i < end; ++i) slots_[layer[i]].x = pool.mean() + offsets[i];
}

void LayeredDrawing::place_slots() {
  for (const auto& layer : layers_)
    for (std::size_t i = 1; i < layer.size(); ++i)
      slots_[layer[i]].x = slots_[layer[i - 1]].x + gap(slots_[layer[i - 1]], slots_[layer[i]]);
  for (int sweep = 0; sweep < coordinate_sweeps; ++sweep) {
    if (sweep % 2 == 0)
      for (std::size_t l = 1; l < layers_.size(); ++l) fit_layer(layers_[l], true, false);
    else
      for (std::size_t l = layers_.size() - 1; l-- > 0;) fit_layer(layers_[l], false, true);
  }
  for (const auto& layer : layers_) fit_layer(layer, true, true);

  double left = 0;
  bool first = true;
  for (const Slot& slot : slots_) {
    const double edge = slot.x - slot.width / 2;
    left = first ? edge : std::min(left, edge);
    first = false;
  }
  for (Slot& slot : slots_) slot.x -= left;
}

void LayeredDrawing::place_layers() {
  const auto pinned = [&](std::size_t layer) {
    return std::any_of(layers_[layer].begin(), layers_[layer].end(), [&](std::uint32_t slot) {
      return slot < nodes_.size() && nodes_[slot].pin != Pin::None;
    });
  };
  layer_top_.resize(layers_.size());
  layer_height_.resize(layers_.size());
  double y = 0;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    if (l > 0) y += pinned(l - 1) || pinned(l) ? spacing_.pin_gap : spacing_.layer_gap;
    for (const std::uint32_t slot : layers_[l]) layer_height_[l] = std::max(layer_height_[l], slots_[slot].height);
    layer_top_[l] = y;
    y += layer_height_[l];
  }
}

// Straight through layers, where slots keep the way free, and S-shaped between them.
std::vector<Curve> LayeredDrawing::curves_of(std::size_t index) const {
  const FlatEdge& edge = edges_[index];
  const auto middle = [&](std::uint32_t slot) {
    const auto layer = static_cast<std::size_t>(slots_[slot].layer);
    return layer_top_[layer] + layer_height_[layer] / 2;
  };
  const Point start{slots_[edge.from].x + edge.from_dx, middle(edge.from) + slots_[edge.from].height / 2};
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
    return layer_top_[static_cast<std::size_t>(layer)] + layer_height_[static_cast<std::size_t>(layer)];
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

}  // namespace

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

Result<FlatLayout> lay_out_flat(const std::vector<FlatNode>& nodes, const std::vector<FlatEdge>& edges,
                                const Spacing& spacing, const Cancellation& cancellation) {
  if (nodes.empty()) return FlatLayout{};
  return LayeredDrawing(nodes, edges, spacing, cancellation).draw();
}

}  // namespace loopglass::layout
