#include "core/graph/folded.h"

#include <algorithm>
#include <map>

namespace loopglass::graph {

OpenFolds all_open(const Folding& folding) {
  OpenFolds all;
  for (const Fold& fold : folding.folds) all.open.insert(fold.key);
  return all;
}

void open_fold(OpenFolds& open, const Folding& folding, const Fold& fold) {
  if (fold.repeats < 2) return void(open.open.insert(fold.key));
  open.shown_once.insert(fold.key);
  for (const int block : fold.children)
    open.open.insert(folding.folds[static_cast<std::size_t>(block)].key);
}

void close_fold(OpenFolds& open, const Folding& folding, const Fold& fold) {
  open.open.erase(fold.key);
  if (fold.repeats < 2) return;
  open.shown_once.erase(fold.key);
  for (const int block : fold.children)
    open.open.erase(folding.folds[static_cast<std::size_t>(block)].key);
}

FoldedGraph::FoldedGraph(const Folding& folding, const OpenFolds& open) {
  const auto fold_at = [&](int which) -> const Fold& {
    return folding.folds[static_cast<std::size_t>(which)];
  };
  // The fold around an item that lies directly in `outer`; -1: none.
  const auto next_inside = [&](std::uint32_t item, int outer) {
    int inner = folding.innermost[item];
    if (inner == outer) return -1;
    while (fold_at(inner).parent != outer) inner = fold_at(inner).parent;
    return inner;
  };
  std::map<std::pair<int, std::uint32_t>, std::uint32_t> known;  // fold, or -1 and the item
  for (std::uint32_t item = 0; item < folding.items.size(); ++item) {
    FoldedBox box{-1, item, -1, 1};
    for (int fold = next_inside(item, -1); fold >= 0; fold = next_inside(box.item, fold)) {
      const Fold& around = fold_at(fold);
      if (!open.is_open(around)) {
        box.fold = fold;
        box.item = around.items.front();
        break;
      }
      box.parent = fold;
      if (!open.shown_once.contains(around.key) || around.repeats < 2) continue;
      const std::size_t size = around.items.size() / static_cast<std::size_t>(around.repeats);
      const std::size_t place = box.item - around.items.front();  // runs lie side by side
      turns_[item].push_back({fold, place / size});
      box.item = around.items[place % size];
      box.stands_for *= around.repeats;
    }
    const auto [entry, is_new] =
        known.try_emplace(box.fold >= 0 ? std::pair(box.fold, 0u) : std::pair(-1, box.item),
                          static_cast<std::uint32_t>(boxes_.size()));
    if (is_new) {
      boxes_.push_back(box);
      items_of_box_.emplace_back();
    }
    box_of_item_.push_back(entry->second);
    items_of_box_[entry->second].push_back(item);
  }
}

bool FoldedGraph::is_carried(std::uint32_t from, std::uint32_t to) const {
  const auto a = turns_.find(from), b = turns_.find(to);
  if (a == turns_.end() || b == turns_.end()) return false;
  const std::size_t common = std::min(a->second.size(), b->second.size());
  for (std::size_t i = 0; i < common; ++i) {
    if (a->second[i].run != b->second[i].run) return false;
    if (a->second[i].block != b->second[i].block) return true;
  }
  return false;
}

}  // namespace loopglass::graph
