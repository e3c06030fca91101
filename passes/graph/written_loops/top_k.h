// TopK as a person would write it: the best so far lie in order, and each element that is better
// than the last of them moves those behind it on by one.
//
// Of n elements in any order some k * log(n / k) are; of ascending ones all. Moving on takes k
// elements in vectors, from the last ones, so that none is written before it was read. Where that
// takes longer than sorting, all are sorted, by merging.
#pragma once

#include "core/graph/graph.h"

namespace loopglass::passes::written_loops {

bool is_top_k(const graph::Node& node);
// The loop nest's text; parameters are those of the operator.
std::string top_k(const TensorType& x, const ops::Attributes& attributes);
// How many elements each of these is chosen among.
std::int64_t searched_by_top_k(const TensorType& x, const ops::Attributes& attributes);

}  // namespace loopglass::passes::written_loops
