// Nodes of operators that core/contributed says as functions: the function is written for the node
// and expanded in its place, like one that the model brings along.
#include "core/contributed/function.h"
#include "core/onnx/converter.h"
#include "core/onnx/node_attributes.h"

#include <fmt/format.h>
#include <onnx/defs/function.h>
#include <onnx/onnx_pb.h>
#include <algorithm>

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

Result<void> Converter::tell_numbers(const contributed::Function& function,
                                     const std::vector<graph::ValueId>& inputs,
                                     contributed::Call& call) {
  for (std::size_t i = 0; i < std::min(inputs.size(), call.operands().size()); ++i) {
    const contributed::Call::Operand& operand = call.operands()[i];
    if (!inputs[i] || std::ranges::find(function.numbers, operand.name) == function.numbers.end() ||
        is_float(operand.type->type) || element_count(operand.type->shape) != 1)
      continue;
    const auto value = constants_.value(inputs[i]);
    if (value) call.set_known(i, value->to_integers().front());
    // A value that a person has set is one that is known.
    else if (binds_what_blocks()) return std::unexpected(value.error());
  }
  return {};
}

Result<void> Converter::convert_contributed(const ::onnx::NodeProto& node,
                                            const contributed::Function& function,
                                            const std::vector<graph::ValueId>& inputs,
                                            Scope& scope) {
  const ops::Attributes attributes = TRY(node_attributes(node, reader_));
  contributed::Call call =
      TRY(contributed::call_of(function, types_of(inputs), attributes, output_count(node)));
  TRY_VOID(tell_numbers(function, inputs, call));
  const FunctionProto proto = function_proto(function, call, TRY(function.nodes(call)));
  const std::string name = node_name(node, scope);
  TRY_VOID(expand(node, proto, inputs, scope));
  ContributedNodes& nodes =
      contributed_[node.domain().empty() ? node.op_type()
                                         : fmt::format("{}.{}", node.domain(), node.op_type())];
  nodes.names.push_back(name);
  // It speaks of numbers that are not known, where the function asks for some.
  const bool is_known = std::ranges::all_of(
      function.numbers, [&](std::string_view operand) { return call.known(operand).has_value(); });
  if (function.numbers.empty() || !is_known) nodes.caution = function.caution;
  return {};
}

}  // namespace loopglass::onnx
