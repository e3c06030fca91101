// Names that a node's graphs read from the graph around them.
#pragma once

#include <string>
#include <vector>

namespace onnx {
class GraphProto;
class NodeProto;
}  // namespace onnx

namespace loopglass::onnx {

// Each once, in the order in which they are met; those that graphs within graphs read are among
// them.
std::vector<std::string> names_read_from_outside(const ::onnx::NodeProto& node);
std::vector<std::string> names_read_from_outside(const ::onnx::GraphProto& graph);

}  // namespace loopglass::onnx
