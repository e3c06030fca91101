// Writing a Graph as an ONNX model: for the samples and for handing graphs to other tools.
#pragma once

#include "core/graph/graph.h"

#include <filesystem>
#include <string>

namespace loopglass::onnx {

// Uses each operator's OnnxMapping at this opset, turning bound attributes back into initialisers.
Result<void> write(const graph::Graph& graph, const std::filesystem::path& path, int opset = 13);
// The bytes of such a file.
Result<std::string> serialise(const graph::Graph& graph, int opset = 13);
Result<void> write_tensor(const Tensor& tensor, const std::string& name,
                          const std::filesystem::path& path);

}  // namespace loopglass::onnx
