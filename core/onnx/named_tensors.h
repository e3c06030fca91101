// Tensors under the names that a graph's values have, as files and other libraries know them.
#pragma once

#include "core/onnx/import.h"

namespace loopglass::onnx {

// One for each value, in their order.
std::vector<NamedTensor> named(const graph::Graph& graph, const std::vector<graph::ValueId>& values,
                               const std::vector<Tensor>& tensors);

}  // namespace loopglass::onnx
