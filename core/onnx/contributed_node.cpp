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

// A constant, or what it is for the data.
Result<Tensor> Converter::counted_input(graph::ValueId input) {
  auto constant = constants_.value(input);
  if (constant || constant.error().code != Code::InputNotConstant) return constant;
  auto of_data = data_.value(input);
  if (!of_data && of_data.error().code == Code::InputNotConstant)
    of_data.error().what = fmt::format("how many elements its results have hangs on '{}': {}",
                                       builder_.value(input).name, of_data.error().what);
  return of_data;
}

bool Converter::counts_data(const contributed::Function& function,
                            const std::vector<graph::ValueId>& inputs) {
  for (std::size_t i = 0; i < std::min(inputs.size(), function.inputs.size()); ++i)
    if (inputs[i] && !constants_.value(inputs[i]) &&
        std::ranges::find(function.counted, function.inputs[i]) != function.counted.end())
      return true;
  return false;
}

Result<void> Converter::tell_counts(const contributed::Function& function,
                                    const std::vector<graph::ValueId>& inputs,
                                    contributed::Call& call) {
  if (function.count == nullptr) return {};
  std::vector<Tensor> counted;
  for (std::size_t i = 0; i < call.operands().size(); ++i) {
    if (std::ranges::find(function.counted, call.operands()[i].name) == function.counted.end())
      continue;
    const bool is_given = i < inputs.size() && inputs[i];
    counted.push_back(is_given ? TRY(counted_input(inputs[i])) : Tensor());
  }
  call.set_counts(TRY(function.count(call, counted)));
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
  TRY_VOID(tell_counts(function, inputs, call));
  const FunctionProto proto = function_proto(function, call, TRY(function.nodes(call)));
  const std::string name = node_name(node, scope);
  const graph::NodeId first = builder_.next_node();
  TRY_VOID(expand(node, proto, inputs, scope));
  for (graph::NodeId id = first; function.count && id.value < builder_.next_node().value;
       ++id.value)
    if (const graph::Node* made = builder_.find(id))
      if (made->name == name + "/count")
        note_counted(made->outputs.front(),
                     loopglass::Tensor::of<std::int64_t>({1}, {call.counts().front()}));
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
