// The part of Converter that keeps what is not supported in the graph: a node with all that the
// model says of it, its results typed as far as that is declared or follows, and the reason. What
// reads a result of unknown type is opaque as well, and names the first to blame.
#include "core/onnx/attribute_text.h"
#include "core/onnx/captures.h"
#include "core/onnx/converter.h"
#include "core/onnx/node_export.h"
#include "core/onnx/shape_inference.h"
#include "core/ops/opaque.h"
#include "core/ops/operation.h"
#include "core/ops/quantisation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <onnx/onnx_pb.h>
#include <algorithm>

namespace loopglass::onnx {

namespace {

using graph::ValueId;
using ::onnx::AttributeProto;
using ::onnx::NodeProto;
using ::onnx::TypeProto;

// Constants of more elements do not decide types.
constexpr std::int64_t most_deciding_elements = 1024;

}  // namespace

Result<void> Converter::check_operands(const std::vector<ValueId>& inputs) const {
  for (const ValueId id : inputs) {
    if (!id || builder_.value(id).type.is_known()) continue;
    const graph::Value& value = builder_.value(id);
    return fail(
        Code::OperandTypeUnknown,
        fmt::format("nothing can be computed with its operand '{}' of type {}, because of {}",
                    value.name, value.type.declared, culprits_.at(id)));
  }
  return {};
}

// What dequantises or converts makes of bytes what it makes of fewer bits of the same values;
// others may give results of that type.
Result<void> Converter::check_few_bits(const ops::OpDef* op,
                                       const std::vector<ValueId>& inputs) const {
  const auto type_name = [&](ValueId id) {
    const auto few = few_bits_.find(id);
    return few != few_bits_.end() ? few->second : std::string(name(builder_.value(id).type.type));
  };
  const bool takes_them = op != nullptr && (ops::is_dequantisation(*op) ||
                                            op == ops::conversion_to(DataType::Float32).op);
  ValueId whole;  // the first of whole numbers, which others are of the same type as
  for (const ValueId id : inputs) {
    if (!id) continue;
    const auto few = few_bits_.find(id);
    if (few != few_bits_.end() && !takes_them)
      return fail(Code::TypeUnsupported,
                  fmt::format("operand '{}' is of {}, which is only dequantised or cast here",
                              builder_.value(id).name, few->second));
    if (is_float(builder_.value(id).type.type)) continue;
    if (takes_them && whole && type_name(id) != type_name(whole))
      return fail(Code::OperatorMisused, fmt::format("zero point of {} for elements of {}",
                                                     type_name(id), type_name(whole)));
    if (!whole) whole = id;
  }
  return {};
}

Result<std::vector<std::string>> Converter::captured_names(const NodeProto& node,
                                                           const Scope& scope) const {
  std::vector<std::string> names;
  for (const std::string& name : names_read_from_outside(node)) {
    if (find(name, scope) == nullptr)
      return fail(Code::ModelCorrupt,
                  fmt::format("a graph of the node reads '{}', which nothing makes", name));
    names.push_back(name);
  }
  return names;
}

const TypeProto* Converter::declared_type(const std::string& name, const Scope& scope) const {
  if (const auto found = scope.declared.find(name); found != scope.declared.end())
    return found->second;
  // Functions and branches may say less of their outputs than what is around them.
  const auto outside = scope.public_names.find(name);
  if (outside == scope.public_names.end()) return nullptr;
  const auto found = top_.declared.find(outside->second);
  return found == top_.declared.end() ? nullptr : found->second;
}

Converter::TypedResults Converter::result_types(const NodeProto& node, const std::string& domain,
                                                int opset, const std::vector<std::string>& captured,
                                                const Scope& scope) const {
  KnownValues known;
  bool reads_few_bits = false;
  const auto tell = [&](const std::string& name) {
    const ValueId* id = find(name, scope);
    if (id == nullptr || !*id) return;
    reads_few_bits = reads_few_bits || few_bits_.contains(*id);
    const graph::Value& value = builder_.value(*id);
    if (value.type.is_known()) fill_type(value.type, known.types[name]);
    else if (const auto open = open_types_.find(*id); open != open_types_.end())
      known.types[name] = *open->second;
    if (value.is_constant() && value.constant.elements() <= most_deciding_elements)
      fill_tensor(value.constant, name, known.constants[name]);
  };
  for (const std::string& name : node.input()) tell(name);
  for (const std::string& name : captured) tell(name);
  // Of few bits there is no type to infer from.
  std::vector<TypeProto> protos = reads_few_bits
                                      ? std::vector<TypeProto>(output_count(node))
                                      : inferred_types(node, domain, opset, std::move(known));
  TypedResults results;
  for (std::size_t i = 0; i < output_count(node); ++i) {
    const TypeProto* declared = declared_type(node.output(static_cast<int>(i)), scope);
    const TensorType inferred = tensor_type(protos[i], source_.symbols);
    if (declared != nullptr) complete(protos[i], *declared, source_.symbols);
    results.types.push_back(tensor_type(protos[i], source_.symbols));
    // Where the two contradict each other, neither is to be relied on.
    if (declared == nullptr || !inferred.is_known()) continue;
    if (const TensorType said = tensor_type(*declared, source_.symbols);
        said.is_known() && said != inferred) {
      results.types.back() = TensorType::unknown(
          fmt::format("{} declared, {} inferred", to_string(said), to_string(inferred)));
      protos[i].mutable_tensor_type()->clear_shape();
    }
  }
  for (const TypeProto& proto : protos)
    results.protos.push_back(std::make_shared<const TypeProto>(proto));
  return results;
}

Result<void> Converter::convert_opaque(const NodeProto& node, const std::string& domain, int opset,
                                       std::vector<ValueId> inputs, Diagnostic reason,
                                       Scope& scope) {
  const std::string name = node_name(node, scope);
  const std::vector<std::string> captured = TRY(captured_names(node, scope));
  ops::OpaqueOperator opaque{domain, node.op_type(), opset, {}, {}, std::move(reason), {}};
  for (const AttributeProto& attribute : node.attribute()) {
    opaque.attributes.push_back(attribute_text(attribute));
    if (attribute.has_g()) opaque.subgraphs.push_back(attribute.name());
  }
  if (!opaque.subgraphs.empty() && opaque.reason.hint.empty())
    opaque.reason.hint = fmt::format("its graphs can be opened: --subgraph '{}.{}'", name,
                                     fmt::join(opaque.subgraphs, fmt::format("' or '{}.", name)));
  if (!captured.empty())
    opaque.attributes.push_back(fmt::format("its graphs also read: {}", fmt::join(captured, ", ")));
  note_subgraphs(node, name, scope);
  const TypedResults results = result_types(node, domain, opset, captured, scope);
  opaque.types = results.types;
  // What its graphs read is as much needed as what it reads itself.
  for (const std::string& inner : captured) inputs.push_back(*find(inner, scope));

  std::string culprit =
      fmt::format("{} ({})", name, ops::opaque_name(ops::opaque_attributes(opaque)));
  if (opaque.reason.code == Code::OperandTypeUnknown)
    for (const ValueId id : inputs)
      if (const auto first = id ? culprits_.find(id) : culprits_.end(); first != culprits_.end()) {
        culprit = first->second;
        break;
      }
  const graph::NodeId id = TRY(builder_.add_node(
      name, ops::opaque_operator(), std::move(inputs), ops::opaque_attributes(opaque),
      output_count(node), Origin{{scope.source}}, output_names(node, scope)));
  for (std::size_t i = 0; i < opaque.types.size(); ++i) {
    if (opaque.types[i].is_known()) continue;
    const ValueId made = builder_.output(id, i);
    culprits_[made] = culprit;
    open_types_[made] = results.protos[i];
  }
  return define_outputs(node, id, scope);
}

Result<void> Converter::define_opaque_constant(const std::string& name, TensorType type,
                                               Diagnostic reason) {
  if (name.empty()) return fail(Code::ModelCorrupt, "an initializer has no name");
  ops::OpaqueOperator opaque{"", "Constant", 0, {}, {}, std::move(reason), {std::move(type)}};
  const graph::NodeId id = TRY(builder_.add_node(name, ops::opaque_operator(), {},
                                                 ops::opaque_attributes(opaque), 1, {}, {name}));
  culprits_[builder_.output(id)] = fmt::format("initializer '{}'", name);
  return define(name, builder_.output(id), top_);
}

}  // namespace loopglass::onnx
