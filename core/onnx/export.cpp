#include "core/onnx/export.h"

#include "core/onnx/element_type.h"
#include "core/onnx/node_export.h"
#include "core/support/whole_file.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>
#include <cerrno>
#include <limits>

namespace loopglass::onnx {

namespace {

Result<void> check_size(const google::protobuf::MessageLite& message) {
  if (message.ByteSizeLong() <= static_cast<std::size_t>(std::numeric_limits<int>::max()))
    return {};
  return fail(Code::ModelTooLarge,
              fmt::format("the model takes {} bytes; protobuf writes less than 2 GiB",
                          message.ByteSizeLong()));
}

Result<void> write(const google::protobuf::MessageLite& message,
                   const std::filesystem::path& path) {
  TRY_VOID(check_size(message));
  WholeFile file = TRY(WholeFile::create(path));
  if (!message.SerializeToFileDescriptor(file.descriptor())) return file.refusal(errno);
  return file.put_in_place();
}

void fill_signature(const graph::Value& value, ::onnx::ValueInfoProto& proto) {
  proto.set_name(value.name);
  auto* tensor = proto.mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(onnx_element_type(value.type.type));
  auto* shape = tensor->mutable_shape();
  for (const std::int64_t extent : value.type.shape) shape->add_dim()->set_dim_value(extent);
}

Result<void> fill_model(const graph::Graph& graph, int opset, ::onnx::ModelProto& model) {
  // The oldest IR version that knows the operator set.
  model.set_ir_version(opset >= 15 ? 8 : 7);
  model.set_producer_name("loopglass");
  auto* imported = model.add_opset_import();
  imported->set_domain("");
  imported->set_version(opset);
  ::onnx::GraphProto& proto = *model.mutable_graph();
  proto.set_name(graph.name());
  for (const graph::ValueId id : graph.inputs())
    fill_signature(graph.value(id), *proto.add_input());
  for (const graph::ValueId id : graph.outputs())
    fill_signature(graph.value(id), *proto.add_output());
  for (const graph::ValuePtr& value : graph.values())
    if (value->is_constant()) fill_tensor(value->constant, value->name, *proto.add_initializer());
  for (const graph::NodePtr& node : graph.nodes())
    TRY_VOID(export_node(graph, *node, opset, proto));
  return {};
}

}  // namespace

Result<void> write(const graph::Graph& graph, const std::filesystem::path& path, int opset) {
  ::onnx::ModelProto model;
  TRY_VOID(fill_model(graph, opset, model));
  return write(model, path);
}

Result<std::string> serialise(const graph::Graph& graph, int opset) {
  ::onnx::ModelProto model;
  TRY_VOID(fill_model(graph, opset, model));
  TRY_VOID(check_size(model));
  return model.SerializeAsString();
}

Result<void> write_tensor(const Tensor& tensor, const std::string& name,
                          const std::filesystem::path& path) {
  ::onnx::TensorProto proto;
  fill_tensor(tensor, name, proto);
  return write(proto, path);
}

}  // namespace loopglass::onnx
