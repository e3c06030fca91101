// The part of Converter that finds a graph inside a node, which can be opened as a network of its
// own (ImportOptions::subgraph), and says what it starts from.
#include "core/onnx/captures.h"
#include "core/onnx/converter.h"
#include "core/onnx/node_attributes.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>
#include <algorithm>

namespace loopglass::onnx {

namespace {

using ::onnx::AttributeProto;
using ::onnx::GraphProto;
using ::onnx::NodeProto;

// A slice of what Scan goes through.
TensorType without_axis(TensorType type, std::int64_t axis) {
  const std::int64_t rank = std::ssize(type.shape);
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank) return TensorType::unknown("unknown");
  type.shape.erase(type.shape.begin() + axis);
  return type;
}

// What the operator puts into an input of its body, as far as its own operands tell. Loop counts
// and carries on; Scan carries on and slices.
TensorType from_operand(const NodeProto& node, int input,
                        const std::function<TensorType(int)>& operand) {
  if (node.op_type() == "Loop") {
    if (input == 0) return {DataType::Int64, {}};
    if (input == 1) return {DataType::Bool, {}};
    return operand(input);
  }
  const AttributeProto* scanned = find_attribute(node, "num_scan_inputs");
  if (node.op_type() != "Scan" || scanned == nullptr) return TensorType::unknown("unknown");
  const std::int64_t states = node.input_size() - scanned->i();
  TensorType type = operand(input);
  if (input < states || !type.is_known()) return type;
  const AttributeProto* axes = find_attribute(node, "scan_input_axes");
  const std::int64_t index = input - states;
  return without_axis(std::move(type), axes != nullptr && index < axes->ints_size()
                                           ? axes->ints(static_cast<int>(index))
                                           : 0);
}

}  // namespace

void Converter::note_subgraphs(const NodeProto& node, const std::string& name, const Scope& scope) {
  for (const AttributeProto& attribute : node.attribute()) {
    if (!attribute.has_g()) continue;
    const std::string path = fmt::format("{}.{}", name, attribute.name());
    expansions_.subgraph_names.push_back(path);
    const bool wanted = options_.subgraph == path || options_.subgraph.starts_with(path + "/");
    if (!wanted || subgraph_) continue;
    subgraph_ = subgraph_of(node, attribute.g(), scope);
    if (options_.subgraph != path) subgraph_->rest = options_.subgraph.substr(path.size() + 1);
  }
}

Subgraph Converter::subgraph_of(const NodeProto& node, const GraphProto& graph,
                                const Scope& scope) const {
  Subgraph subgraph{std::make_shared<const GraphProto>(graph), *scope.opsets, {}, {}};
  const auto value_of = [&](const std::string& name) -> const graph::Value* {
    const graph::ValueId* id = find(name, scope);
    return id != nullptr && *id ? &builder_.value(*id) : nullptr;
  };
  const auto operand = [&](int index) {
    const graph::Value* value = index < node.input_size() ? value_of(node.input(index)) : nullptr;
    return value == nullptr ? TensorType::unknown("unknown") : value->type;
  };
  for (int i = 0; i < graph.input_size(); ++i) {
    TensorType type = tensor_type(graph.input(i).type(), source_.symbols);
    if (!type.is_known())
      if (TensorType found = from_operand(node, i, operand); found.is_known())
        type = std::move(found);
    subgraph.inputs.push_back({graph.input(i).name(), std::move(type), {}});
  }
  for (const std::string& name : names_read_from_outside(graph))
    if (const graph::Value* value = value_of(name))
      subgraph.inputs.push_back({name, value->type, value->constant});
  return subgraph;
}

}  // namespace loopglass::onnx
