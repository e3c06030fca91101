#include "core/onnx/named_tensors.h"

namespace loopglass::onnx {

std::vector<NamedTensor> named(const graph::Graph& graph, const std::vector<graph::ValueId>& values,
                               const std::vector<Tensor>& tensors) {
  std::vector<NamedTensor> result;
  for (std::size_t i = 0; i < values.size(); ++i)
    result.push_back({graph.value(values[i]).name, tensors[i]});
  return result;
}

}  // namespace loopglass::onnx
