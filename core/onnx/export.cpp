#include "core/onnx/export.h"

#include "core/onnx/element_type.h"
#include "core/onnx/node_export.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <onnx/onnx_pb.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <limits>

namespace loopglass::onnx {

namespace {

// Whole or not at all: readers never see half a file, nor does a crash leave one under that name.
Result<void> write_atomically(const google::protobuf::MessageLite& message,
                              const std::filesystem::path& path) {
  const auto refuse = [&](std::string_view why) {
    return fail(Code::FileUnwritable, fmt::format("the file cannot be written: {}", why),
                path.string());
  };
  if (message.ByteSizeLong() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    return fail(Code::ModelTooLarge,
                fmt::format("the model takes {} bytes; protobuf writes less than 2 GiB",
                            message.ByteSizeLong()),
                path.string());
  const std::filesystem::path partial = fmt::format("{}.{}.partial", path.string(), ::getpid());
  const int file = ::open(partial.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) return refuse(std::strerror(errno));
  const bool written = message.SerializeToFileDescriptor(file);
  const bool closed = ::close(file) == 0;
  if (written && closed && ::rename(partial.c_str(), path.c_str()) == 0) return {};
  const int reason = errno;
  ::unlink(partial.c_str());
  return refuse(std::strerror(reason));
}

void fill_signature(const graph::Value& value, ::onnx::ValueInfoProto& proto) {
  proto.set_name(value.name);
  auto* tensor = proto.mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(onnx_element_type(value.type.type));
  auto* shape = tensor->mutable_shape();
  for (const std::int64_t extent : value.type.shape) shape->add_dim()->set_dim_value(extent);
}

}  // namespace

Result<void> write(const graph::Graph& graph, const std::filesystem::path& path, int opset) {
  ::onnx::ModelProto model;
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
  return write_atomically(model, path);
}

Result<void> write_tensor(const Tensor& tensor, const std::string& name,
                          const std::filesystem::path& path) {
  ::onnx::TensorProto proto;
  fill_tensor(tensor, name, proto);
  return write_atomically(proto, path);
}

}  // namespace loopglass::onnx
