#include "views/icicle/icicle_cells.h"

#include <fmt/format.h>

#include <algorithm>

namespace loopglass::views {
namespace {

double amount(const PartCost& cost, IcicleMeasure measure) {
  return measure == IcicleMeasure::Time ? cost.milliseconds.value_or(0)
                                        : static_cast<double>(cost.flops);
}

class Icicle {
 public:
  Icicle(const graph::Folding& folding, const PartCosts& costs, IcicleMeasure measure)
      : folding_(folding), costs_(costs), measure_(measure), whole_(amount(costs.all, measure)) {
    for (std::size_t f = 0; f < folding.folds.size(); ++f)
      (folding.folds[f].parent < 0 ? top_ : inside_[folding.folds[f].parent])
          .folds.push_back(static_cast<int>(f));
    for (std::uint32_t item = 0; item < folding.items.size(); ++item)
      (folding.innermost[item] < 0 ? top_ : inside_[folding.innermost[item]]).items.push_back(item);
  }

  std::vector<IcicleCell> make(const std::string& network) {
    cells_.push_back({network, 0, 1, 0, -1, -1, -1, costs_.all});
    if (whole_ > 0) add(top_, 0);
    return std::move(cells_);
  }

 private:
  struct Inside {
    std::vector<int> folds;
    std::vector<std::uint32_t> items;
  };

  void add(const Inside& inside, int parent) {
    struct Part {
      std::uint32_t first;
      int fold, item;
    };
    std::vector<Part> parts;
    for (const int fold : inside.folds)
      parts.push_back({folding_.folds[static_cast<std::size_t>(fold)].items.front(), fold, -1});
    for (const std::uint32_t item : inside.items)
      parts.push_back({item, -1, static_cast<int>(item)});
    std::sort(parts.begin(), parts.end(),
              [](const Part& a, const Part& b) { return a.first < b.first; });
    double at = cells_[static_cast<std::size_t>(parent)].from;
    const int depth = cells_[static_cast<std::size_t>(parent)].depth + 1;
    for (const Part& part : parts) {
      const PartCost& cost = part.fold >= 0 ? costs_.folds[static_cast<std::size_t>(part.fold)]
                                            : costs_.items[static_cast<std::size_t>(part.item)];
      const double width = amount(cost, measure_) / whole_;
      if (width <= 0) continue;
      const int cell = static_cast<int>(cells_.size());
      cells_.push_back(
          {title(part.fold, part.item), at, at + width, depth, parent, part.fold, part.item, cost});
      at += width;
      if (part.fold >= 0) add(inside_[part.fold], cell);
    }
  }

  std::string title(int fold, int item) const {
    if (fold < 0) return folding_.items[static_cast<std::size_t>(item)].name;
    const graph::Fold& part = folding_.folds[static_cast<std::size_t>(fold)];
    return part.repeats > 1 ? fmt::format("{} ×{}", part.title, part.repeats) : part.title;
  }

  const graph::Folding& folding_;
  const PartCosts& costs_;
  const IcicleMeasure measure_;
  const double whole_;
  Inside top_;
  std::unordered_map<int, Inside> inside_;
  std::vector<IcicleCell> cells_;
};

}  // namespace

std::vector<IcicleCell> icicle_cells(const graph::Folding& folding, const PartCosts& costs,
                                     IcicleMeasure measure, const std::string& network) {
  return Icicle(folding, costs, measure).make(network);
}

}  // namespace loopglass::views
