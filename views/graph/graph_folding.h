// How a graph is folded for the eye: by blocks, by names, kernels as single boxes.
#pragma once

#include "core/graph/folding.h"
#include "views/graph/graph_content.h"

#include <string_view>

namespace loopglass::views {

enum class FoldedBy : std::uint8_t { No, Blocks, Names };
std::string_view key_of(FoldedBy by);  // "blocks", "names"; empty: not folded
FoldedBy folded_by(std::string_view key);

// Where `kernels` has a plan, its kernels are kept together as boxes. Null: nothing is folded.
std::shared_ptr<const graph::Folding> fold_graph(const graph::Graph& graph, FoldedBy by,
                                                 const GroupsOfGraph& kernels);

}  // namespace loopglass::views
