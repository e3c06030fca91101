// Graphs inside nodes, written down as protobuf.
#pragma once

#include "tests/onnx/proto_model.h"

namespace loopglass::onnx {

inline ::onnx::GraphProto& graph_attribute(::onnx::NodeProto& node, const std::string& name) {
  auto* attribute = node.add_attribute();
  attribute->set_name(name);
  attribute->set_type(::onnx::AttributeProto::GRAPH);
  attribute->mutable_g()->set_name(name);
  return *attribute->mutable_g();
}

inline ::onnx::NodeProto& add(::onnx::GraphProto& graph, const std::string& op,
                              std::vector<std::string> inputs, std::vector<std::string> outputs) {
  return ProtoModel::fill(*graph.add_node(), op, std::move(inputs), std::move(outputs));
}

inline void output(::onnx::GraphProto& graph, const std::string& name) {
  graph.add_output()->set_name(name);
}

}  // namespace loopglass::onnx
