// DNNFusion's mapping types (Niu et al., PLDI 2021), derived from the index maps of an operator's
// compute: how output elements relate to the elements of an input.
#pragma once

#include "core/graph/graph.h"

namespace loopglass::fusion {

// In order of complexity; of several inputs the most complex wins.
enum class MappingType : std::uint8_t {
  OneToOne,    // out[i] reads in[i], or one other element for each i and none twice (Concat, Slice)
  Reorganize,  // the same elements in the same order under another shape
  Shuffle,     // a permutation of the elements
  OneToMany,   // one element is read for many outputs
  ManyToMany,  // an output reads many elements
};
std::string_view name(MappingType type);  // "one-to-one"

MappingType mapping_type(const te::Program& program);
MappingType mapping_type(const graph::Graph& graph, const graph::Node& node);
// By position in graph.nodes().
std::vector<MappingType> mapping_types(const graph::Graph& graph);

// The table of combinations: a first operator fused with a second that reads it.
enum class Profit : std::uint8_t { Always, Judge, Never };
struct Combination {
  MappingType result;
  Profit profit;
};
Combination combine(MappingType first, MappingType second);

}  // namespace loopglass::fusion
