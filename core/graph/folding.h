// Folding: a large graph as a tree of parts, each of which can be shown as one box. Parts come from
// the names that exporters give ("layer1.0.conv1" lies in "layer1" and there in "0"), or from
// repetition that is found in the structure whatever the names are: a stretch of operators that
// occurs several times in a row is a run of blocks, alike operator for operator.
//
// Whichever parts are closed, what is left is a graph without cycles: names that would make one (a
// part that is left and entered again by way of another) are cut into pieces that do not.
//
// Source of the repetition's search: maximal repetitions of a string (Main and Lorentz, 1984), here
// over periods that occur, not over all.
#pragma once

#include "core/graph/graph.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace loopglass::graph {

// What is folded: operators, or things made of several, such as kernels, that are never opened
// here.
struct FoldItem {
  std::string name;            // with '/' or '.' between the parts it lies in
  std::uint64_t likeness = 0;  // items that may stand for each other have the same
  std::vector<NodeId> nodes;
};

struct Fold {
  std::string title;  // "layer1.0"; of what has no name its commonest operators
  // The same for the same part of another graph of a history, and for all that are alike.
  std::uint64_t key = 0;
  std::vector<std::uint32_t> items;  // all of them, in topological order
  int parent = -1;                   // place among the folds; -1: none
  std::vector<int> children;         // directly inside, in topological order
  // A run: of how many blocks, its children. These have the same number of items, and the i-th
  // items of two of them stand for each other. 1: no run.
  int repeats = 1;
};

struct Folding {
  std::vector<FoldItem> items;  // in topological order
  std::vector<Fold> folds;      // a parent before its children
  // The innermost fold of every item; -1: in none.
  std::vector<int> innermost;
};

enum class FoldBy : std::uint8_t { Names, Blocks };

// One item an operator; or one for all operators of which `part_of` says the same number, where
// that leaves no cycle. Negative: by itself.
struct Parts {
  std::function<int(const Node&)> part_of;
  std::function<std::string(int)> name_of;
};
Folding fold(const Graph& graph, FoldBy by, const Parts* parts = nullptr);

}  // namespace loopglass::graph
