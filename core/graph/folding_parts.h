// What the two ways of folding share.
#pragma once

#include "core/graph/folding.h"

#include <cstdint>
#include <string>
#include <vector>

namespace loopglass::graph {

// Items, and by their places what each reads.
struct ItemGraph {
  std::vector<FoldItem> items;
  std::vector<std::vector<std::uint32_t>> reads;  // without doubles
  // The operands of an item's operators, one after the other: who makes them, by the operator's
  // place in its item and the output's in that.
  struct Operand {
    std::int64_t item;  // -1: an input or a constant
    std::size_t node = 0, output = 0;
    friend bool operator==(const Operand&, const Operand&) = default;
  };
  std::vector<std::vector<Operand>> operands = {};
};

// "layer1/conv.2" is "layer1", "conv" and "2". A part is given by its end in the name.
std::vector<std::size_t> name_parts(const std::string& name);

// How many parts the names of all items begin with, which tell none of them apart; the last part of
// a name is the item's own. Items of one part lie in none, and may be one in ten: passes put in
// such.
std::size_t common_parts(const std::vector<FoldItem>& items);

std::vector<Fold> fold_by_names(const ItemGraph& graph);
std::vector<Fold> fold_by_blocks(const ItemGraph& graph, const Graph& operators);

}  // namespace loopglass::graph
