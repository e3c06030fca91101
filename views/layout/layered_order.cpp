// Step 3 of the layered drawing: the order of the slots within each layer.
#include "views/layout/layered_drawing.h"

#include <algorithm>

namespace loopglass::layout {
namespace {

constexpr int order_sweeps = 8;

}  // namespace

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
    keyed.emplace_back(
        alone ? static_cast<double>(place_[slot]) : sum / static_cast<double>(links[slot].size()),
        slot);
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

}  // namespace loopglass::layout
