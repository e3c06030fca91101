// ScatterElements and ScatterND as a person would write them: data is copied, then each update is
// stored where its indices say, one after another.
#pragma once

#include "core/graph/graph.h"

namespace loopglass::passes::written_loops {

bool is_scatter(const graph::Node& node);
// The loop nest's text; parameters are those of the operator.
std::string scatter(const graph::Node& node, const TensorType& data, const TensorType& indices,
                    const TensorType& updates);
// Among how many updates a tensor expression would have to search for each element.
std::int64_t searched_by_scatter(const graph::Node& node, const TensorType& data,
                                 const TensorType& indices);

}  // namespace loopglass::passes::written_loops
