// What the ONNX library's own type inference says of one node.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace onnx {
class NodeProto;
class TensorProto;
class TypeProto;
}  // namespace onnx

namespace loopglass::onnx {

// What is known of the values a node reads, by name; of a node with graphs also what those read
// from around it.
struct KnownValues {
  std::map<std::string, ::onnx::TypeProto> types;
  std::map<std::string, ::onnx::TensorProto> constants;  // small ones
};

// A type per output; of a kind not set where the library, which knows ONNX's operators up to its
// own version, cannot tell.
std::vector<::onnx::TypeProto> inferred_types(const ::onnx::NodeProto& node,
                                              const std::string& domain, int opset,
                                              KnownValues known);

}  // namespace loopglass::onnx
