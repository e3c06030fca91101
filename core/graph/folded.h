// A folding with some folds opened: what is seen of it.
#pragma once

#include "core/graph/folding.h"

#include <set>

namespace loopglass::graph {

// Folds that are not closed, by their keys, so that all that are alike open together, and stay open
// in another graph of the history. In `shown_once` are runs of which one block is shown for all.
struct OpenFolds {
  std::set<std::uint64_t> open, shown_once;
  bool is_open(const Fold& fold) const {
    return open.contains(fold.key) || shown_once.contains(fold.key);
  }
  friend bool operator==(const OpenFolds&, const OpenFolds&) = default;
};
// Every fold of it.
OpenFolds all_open(const Folding& folding);
// One fold more; of a run one block for all, with what is in it.
void open_fold(OpenFolds& open, const Folding& folding, const Fold& fold);
// A fold, and of a run its blocks.
void close_fold(OpenFolds& open, const Folding& folding, const Fold& fold);

struct FoldedBox {
  int fold = -1;           // the closed fold; -1: one item
  std::uint32_t item = 0;  // that item, or the fold's first
  int parent = -1;         // the innermost open fold around it; -1: none
  int stands_for = 1;      // of how many blocks, where one is shown for all
};

class FoldedGraph {
 public:
  FoldedGraph(const Folding& folding, const OpenFolds& open);

  const std::vector<FoldedBox>& boxes() const { return boxes_; }
  std::uint32_t box_of(std::uint32_t item) const { return box_of_item_[item]; }
  // All that a box stands for, in topological order.
  const std::vector<std::uint32_t>& items_of(std::uint32_t box) const { return items_of_box_[box]; }
  // Whether the second item reads the first's result in a later block of a run that is shown once:
  // from one turn to the next, which is no edge between the boxes.
  bool is_carried(std::uint32_t from, std::uint32_t to) const;

 private:
  struct Turn {
    int run;
    std::size_t block;
  };
  std::vector<FoldedBox> boxes_;
  std::vector<std::uint32_t> box_of_item_;
  std::vector<std::vector<std::uint32_t>> items_of_box_;
  std::unordered_map<std::uint32_t, std::vector<Turn>> turns_;  // of items in runs shown once
};

}  // namespace loopglass::graph
