// A model with an operator that runs graphs of its own.
#pragma once

#include <onnx/onnx_pb.h>

#include <filesystem>
#include <fstream>

namespace loopglass::views {

inline ::onnx::NodeProto& add(::onnx::GraphProto& graph, const std::string& op,
                              const std::string& input, const std::string& output) {
  ::onnx::NodeProto& node = *graph.add_node();
  node.set_op_type(op);
  node.set_name("n_" + output);
  node.add_input(input);
  node.add_output(output);
  return node;
}

inline void declare(::onnx::ValueInfoProto& value, const std::string& name, bool scalar = false) {
  value.set_name(name);
  auto* tensor = value.mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(scalar ? ::onnx::TensorProto::BOOL : ::onnx::TensorProto::FLOAT);
  tensor->mutable_shape();
  if (!scalar) tensor->mutable_shape()->add_dim()->set_dim_value(64);
}

// Relu, then If with an unknown condition, then Tanh.
inline void write_opaque_model(const std::filesystem::path& path) {
  ::onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(13);
  ::onnx::GraphProto& graph = *model.mutable_graph();
  declare(*graph.add_input(), "x");
  declare(*graph.add_input(), "which", true);
  declare(*graph.add_output(), "y");
  add(graph, "Relu", "x", "a");
  ::onnx::NodeProto& choose = add(graph, "If", "which", "b");
  for (const char* name : {"then_branch", "else_branch"}) {
    auto& attribute = *choose.add_attribute();
    attribute.set_name(name);
    attribute.set_type(::onnx::AttributeProto::GRAPH);
    attribute.mutable_g()->set_name(name);
    // Of another shape: between two of one it would be no opaque operator.
    const bool is_flat = attribute.name() == "then_branch";
    add(*attribute.mutable_g(), is_flat ? "Flatten" : "Neg", "a", "negated");
    attribute.mutable_g()->add_output()->set_name("negated");
  }
  declare(*graph.add_value_info(), "b");
  add(graph, "Tanh", "b", "y");
  std::ofstream(path, std::ios::binary) << model.SerializeAsString();
}

}  // namespace loopglass::views
