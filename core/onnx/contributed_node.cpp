// Nodes of operators that core/contributed says as functions: the function is written for the node
// and expanded in its place, like one that the model brings along.
#include "core/contributed/function.h"
#include "core/onnx/converter.h"
#include "core/onnx/node_attributes.h"

#include <fmt/format.h>
#include <onnx/defs/function.h>
#include <onnx/onnx_pb.h>

namespace loopglass::onnx {

namespace {

using ::onnx::FunctionProto;

FunctionProto function_proto(const contributed::Function& function, const contributed::Call& call,
                             const std::string& nodes) {
  FunctionProto proto;
  proto.set_name(std::string(function.name));
  for (const auto& operand : call.operands()) proto.add_input(operand.name);
  for (const std::string_view output : function.outputs) proto.add_output(std::string(output));
  ::onnx::FunctionBuilder(proto)
      .Add(nodes.c_str())
      .AddOpset("", contributed::text_opset)
      .AddOpset("com.microsoft", 1);
  for (auto& node : *proto.mutable_node()) node.set_name(node.output(0));
  return proto;
}

}  // namespace

Result<void> Converter::convert_contributed(const ::onnx::NodeProto& node,
                                            const contributed::Function& function,
                                            const std::vector<graph::ValueId>& inputs,
                                            Scope& scope) {
  const ops::Attributes attributes = TRY(node_attributes(node, reader_));
  const contributed::Call call =
      TRY(contributed::call_of(function, types_of(inputs), attributes, output_count(node)));
  const FunctionProto proto = function_proto(function, call, TRY(function.nodes(call)));
  const std::string name = node_name(node, scope);
  TRY_VOID(expand(node, proto, inputs, scope));
  ContributedNodes& nodes =
      contributed_[node.domain().empty() ? node.op_type()
                                         : fmt::format("{}.{}", node.domain(), node.op_type())];
  nodes.names.push_back(name);
  nodes.caution = function.caution;
  return {};
}

}  // namespace loopglass::onnx
