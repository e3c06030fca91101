// The parts of Converter that make no operator node of ours: constants written as nodes, and
// functions expanded in place.
#include "core/onnx/converter.h"
#include "core/onnx/limits.h"
#include "core/onnx/node_attributes.h"
#include "core/onnx/refusals.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>
#include <algorithm>
#include <cstring>

namespace loopglass::onnx {

namespace {

using graph::ValueId;
using ::onnx::FunctionProto;
using ::onnx::NodeProto;

template <class T, class Values>
Tensor vector_of(const Values& values) {
  return Tensor::of<T>({static_cast<std::int64_t>(values.size())},
                       std::vector<T>(values.begin(), values.end()));
}

// Constant's attributes: value (a tensor), sparse_value, value_float(s), value_int(s),
// value_string(s).
Result<Tensor> constant_of(const ::onnx::AttributeProto& attribute, TensorReader& reader) {
  if (attribute.name() == "sparse_value") return reader.read(attribute.sparse_tensor());
  if (attribute.name() == "value_float") return Tensor::of<float>({}, {attribute.f()});
  if (attribute.name() == "value_int") return Tensor::of<std::int64_t>({}, {attribute.i()});
  if (attribute.name() == "value_floats") return vector_of<float>(attribute.floats());
  if (attribute.name() == "value_ints") return vector_of<std::int64_t>(attribute.ints());
  if (attribute.name() == "value_string" || attribute.name() == "value_strings")
    return fail(Code::ValueKindUnsupported, "constants of strings are not supported");
  if (attribute.name() != "value")
    return misused(fmt::format("attribute '{}' is not one of a constant", attribute.name()));
  return reader.read(attribute.t());
}

// The body's node with its references to the function's attributes replaced by the values the call
// gives; attributes without a value are left out.
NodeProto with_attributes(const NodeProto& body_node, const NodeProto& call) {
  NodeProto bound = body_node;
  bound.clear_attribute();
  for (const auto& attribute : body_node.attribute()) {
    if (attribute.ref_attr_name().empty()) {
      *bound.add_attribute() = attribute;
      continue;
    }
    const auto actual =
        std::find_if(call.attribute().begin(), call.attribute().end(),
                     [&](const auto& given) { return given.name() == attribute.ref_attr_name(); });
    if (actual == call.attribute().end()) continue;
    auto* copy = bound.add_attribute();
    *copy = *actual;
    copy->set_name(attribute.name());
  }
  return bound;
}

}  // namespace

Result<void> Converter::convert_constant(const NodeProto& node, Scope& scope) {
  if (node.attribute_size() != 1)
    return misused(fmt::format("{} attributes; a constant has exactly one", node.attribute_size()));
  Tensor value = TRY(constant_of(node.attribute(0), reader_));
  if (node.output(0).empty()) return misused("the constant has no name");
  return define(node.output(0),
                builder_.add_constant(value_name(node.output(0), scope), std::move(value)), scope);
}

Result<void> Converter::convert_constant_of_shape(const NodeProto& node,
                                                  const std::vector<ValueId>& inputs,
                                                  Scope& scope) {
  if (inputs.empty() || node.output(0).empty())
    return misused("the shape or the result is left out");
  const Tensor shape = TRY(constant_input(0, "the shape", inputs));
  if (shape.data_type() != DataType::Int64 || shape.shape().size() != 1)
    return misused(
        fmt::format("the shape is {}, it must be a vector of int64", to_string(shape.type())));
  Tensor element = Tensor::of<float>({1}, {0.0f});
  if (node.attribute_size() == 1) element = TRY(reader_.read(node.attribute(0).t()));
  if (element.elements() != 1)
    return misused(fmt::format("the value {} must have one element", to_string(element.type())));
  Tensor filled = TRY(reader_.allocate({element.data_type(), shape.to_integers()}));
  // Copies what is filled already, so that large constants take few large copies.
  std::size_t done = std::min(byte_size(element.data_type()), filled.bytes());
  std::memcpy(filled.data(), element.data(), done);
  for (; done < filled.bytes(); done *= 2)
    std::memcpy(filled.data() + done, filled.data(), std::min(done, filled.bytes() - done));
  return define(node.output(0),
                builder_.add_constant(value_name(node.output(0), scope), std::move(filled)), scope);
}

Result<void> Converter::expand(const NodeProto& node, const FunctionProto& function,
                               const std::vector<ValueId>& inputs, Scope& scope) {
  if (scope.depth >= maximum_function_depth)
    return fail(
        Code::ModelTooLarge,
        fmt::format("functions call one another more than {} levels deep", maximum_function_depth));
  if (node.input_size() > function.input_size() || node.output_size() > function.output_size())
    return misused(fmt::format("function '{}' takes {} inputs and gives {} outputs",
                               function.name(), function.input_size(), function.output_size()));
  const OpsetVersions own_opsets = TRY(opset_versions(function));
  Scope body;
  body.opsets = own_opsets.empty() ? scope.opsets : &own_opsets;
  body.depth = scope.depth + 1;
  body.source = scope.source;
  body.prefix = node_name(node, scope) + "/";
  for (int i = 0; i < function.input_size(); ++i) {
    const auto index = static_cast<std::size_t>(i);
    // An input left out is one whose name resolves to no value.
    TRY_VOID(define(function.input(i), index < inputs.size() ? inputs[index] : ValueId{}, body));
  }
  for (int i = 0; i < node.output_size(); ++i)
    if (!node.output(i).empty())
      body.public_names[function.output(i)] = value_name(node.output(i), scope);

  for (int i = 0; i < function.node_size(); ++i) {
    auto done = convert(with_attributes(function.node(i), node), body);
    if (done) continue;
    std::string& where = done.error().where;
    const std::string inner =
        fmt::format("node {} of function '{}'",
                    node_label(function.node(i), static_cast<std::size_t>(i)), function.name());
    where = where.empty() ? inner : fmt::format("{}, at {}", inner, where);
    return done;
  }
  for (int i = 0; i < node.output_size(); ++i) {
    if (node.output(i).empty()) continue;
    const auto made = body.values.find(function.output(i));
    if (made == body.values.end() || !made->second)
      return misused(fmt::format("function '{}' does not compute its output '{}'", function.name(),
                                 function.output(i)));
    TRY_VOID(define(node.output(i), made->second, scope));
  }
  return {};
}

}  // namespace loopglass::onnx
