// Step 4 of the layered drawing: coordinates, given the order.
#include "views/layout/layered_drawing.h"

#include <algorithm>

namespace loopglass::layout {
namespace {

constexpr int coordinate_sweeps = 8;

}  // namespace

double LayeredDrawing::gap(const Slot& left, const Slot& right) const {
  const bool dummy = left.edge >= 0 || right.edge >= 0;
  return (left.width + right.width) / 2 + spacing_.node_gap * (dummy ? 0.5 : 1);
}

// Moves the slots of a layer as near as possible to their neighbours' places. With the distances
// taken off, "in order and not too close" becomes "ascending".
void LayeredDrawing::fit_layer(const std::vector<std::uint32_t>& layer, bool use_above,
                               bool use_below) {
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
      pools.back() = {pools.back().sum + last.sum, pools.back().weight + last.weight,
                      pools.back().count + last.count};
    }
  }
  std::size_t i = 0;
  for (const Pool& pool : pools)
    for (const std::size_t end = i + pool.count; i < end; ++i)
      slots_[layer[i]].x = pool.mean() + offsets[i];
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
    for (const std::uint32_t slot : layers_[l])
      layer_height_[l] = std::max(layer_height_[l], slots_[slot].height);
    layer_top_[l] = y;
    y += layer_height_[l];
  }
}

}  // namespace loopglass::layout
