#include "core/onnx/attribute_text.h"

#include "core/onnx/type_proto.h"
#include "core/support/counted.h"
#include "core/support/text_cursor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <onnx/onnx_pb.h>
#include <algorithm>

namespace loopglass::onnx {

namespace {

using ::onnx::AttributeProto;

constexpr int most_elements = 16;
constexpr std::size_t most_characters = 120;

std::string text(float value) { return fmt::format("{}", value); }
std::string text(std::int64_t value) { return fmt::format("{}", value); }
std::string text(const std::string& value) {
  return value.size() <= most_characters ? quote(value)
                                         : quote(value.substr(0, most_characters)) + "...";
}
// As many as it has once it is opened: constants are values there, however they are written.
std::string text(const ::onnx::GraphProto& graph) {
  const auto constants = std::ranges::count_if(graph.node(), [](const ::onnx::NodeProto& node) {
    return node.op_type() == "Constant" && (node.domain().empty() || node.domain() == "ai.onnx");
  });
  return fmt::format("graph {} of {}", text(graph.name()),
                     counted(static_cast<std::size_t>(graph.node_size() - constants), "operator"));
}
std::string text(const ::onnx::TensorProto& tensor) { return declared_text(tensor); }
std::string text(const ::onnx::SparseTensorProto& tensor) {
  return "sparse " + text(tensor.values());
}
std::string text(const ::onnx::TypeProto& type) { return declared_text(type, {}); }

std::string list(const auto& values) {
  std::vector<std::string> parts;
  for (int i = 0; i < std::min(values.size(), most_elements); ++i)
    parts.push_back(text(values.Get(i)));
  if (values.size() > most_elements) parts.emplace_back("...");
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

std::string value_text(const AttributeProto& attribute) {
  if (attribute.floats_size() > 0) return list(attribute.floats());
  if (attribute.ints_size() > 0) return list(attribute.ints());
  if (attribute.strings_size() > 0) return list(attribute.strings());
  if (attribute.tensors_size() > 0) return list(attribute.tensors());
  if (attribute.graphs_size() > 0) return list(attribute.graphs());
  if (attribute.has_g()) return text(attribute.g());
  if (attribute.has_t()) return text(attribute.t());
  if (attribute.has_sparse_tensor()) return text(attribute.sparse_tensor());
  if (attribute.has_tp()) return text(attribute.tp());
  if (attribute.has_s()) return text(attribute.s());
  if (attribute.has_f()) return text(attribute.f());
  if (attribute.has_i()) return text(static_cast<std::int64_t>(attribute.i()));
  return "[]";
}

}  // namespace

std::string attribute_text(const AttributeProto& attribute) {
  return fmt::format("{} = {}", attribute.name(), value_text(attribute));
}

}  // namespace loopglass::onnx
