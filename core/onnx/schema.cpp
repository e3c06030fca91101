#include "core/onnx/schema.h"

#include "core/onnx/element_type.h"

#include <algorithm>
#include <fmt/format.h>
#include <onnx/defs/function.h>
#include <onnx/defs/schema.h>

namespace loopglass::onnx {

namespace {

using ::onnx::AttributeProto;
using ::onnx::NodeProto;

// No attribute refers to a function's attribute any more; a subgraph in it might, and is unsupported
// anyway.
const AttributeProto* find_attribute(const NodeProto& node, const std::string& name) {
  const auto found = std::find_if(node.attribute().begin(), node.attribute().end(),
                                  [&](const AttributeProto& attribute) { return attribute.name() == name; });
  return found == node.attribute().end() ? nullptr : &*found;
}

std::unexpected<Diagnostic> misused(std::string what) { return fail(Code::OperatorMisused, std::move(what)); }

// Trailing empty names are inputs left out.
int count(const google::protobuf::RepeatedPtrField<std::string>& names) {
  int size = names.size();
  while (size > 0 && names.Get(size - 1).empty()) --size;
  return size;
}

::onnx::TypeProto type_proto(const TensorType* type) {
  ::onnx::TypeProto proto;
  if (type == nullptr) return proto;
  proto.mutable_tensor_type()->set_elem_type(onnx_element_type(type->type));
  auto* shape = proto.mutable_tensor_type()->mutable_shape();
  for (const std::int64_t extent : type->shape) shape->add_dim()->set_dim_value(extent);
  return proto;
}

}  // namespace

Result<void> check_schema(const NodeProto& node, const std::string& domain, int opset) {
  const auto* schema = ::onnx::OpSchemaRegistry::Schema(node.op_type(), opset, domain);
  if (schema == nullptr) return {};
  const auto check_count = [&](std::string_view what, int actual, int least, int most) -> Result<void> {
    if (actual < least || actual > most)
      return misused(fmt::format("{} {}; {} takes {}", actual, what, node.op_type(),
                                 least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most)));
    return {};
  };
  // A version newer than the library may have grown inputs and attributes; required ones stay.
  const bool current = opset <= ::onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map().at(domain).second;
  const int unbounded = std::numeric_limits<int>::max();
  TRY_VOID(check_count("inputs", count(node.input()), current ? schema->min_input() : 0, current ? schema->max_input() : unbounded));
  TRY_VOID(check_count("outputs", count(node.output()), current ? schema->min_output() : 0, current ? schema->max_output() : unbounded));
  for (const auto& [name, declared] : schema->attributes()) {
    const AttributeProto* attribute = find_attribute(node, name);
    if (attribute == nullptr) {
      if (declared.required && current) return misused(fmt::format("attribute '{}' is missing", name));
    } else if (attribute->has_type() && attribute->type() != declared.type && attribute->type() != AttributeProto::UNDEFINED) {
      return misused(fmt::format("attribute '{}' is of kind {}, it must be {}", name,
                                 AttributeProto::AttributeType_Name(attribute->type()),
                                 AttributeProto::AttributeType_Name(declared.type)));
    }
  }
  return {};
}

std::shared_ptr<const ::onnx::FunctionProto> standard_function(const NodeProto& node, const std::string& domain, int opset,
                                                               std::span<const TensorType* const> input_types) {
  const auto* schema = ::onnx::OpSchemaRegistry::Schema(node.op_type(), opset, domain);
  if (schema == nullptr || (!schema->HasFunction() && !schema->HasContextDependentFunction())) return nullptr;
  NodeProto call = node;
  for (const auto& [name, declared] : schema->attributes())
    if (find_attribute(call, name) == nullptr && declared.default_value.has_type()) *call.add_attribute() = declared.default_value;
  auto function = std::make_shared<::onnx::FunctionProto>();
  if (schema->HasFunction()) {
    *function = *schema->GetFunction();
  } else {
    std::vector<::onnx::TypeProto> types;
    for (const TensorType* type : input_types) types.push_back(type_proto(type));
    if (!schema->BuildContextDependentFunction(::onnx::FunctionBodyBuildContextImpl(call, types), *function)) return nullptr;
  }
  for (NodeProto& body_node : *function->mutable_node()) bind_attributes(body_node, call);
  return function;
}

void bind_attributes(NodeProto& body_node, const NodeProto& call) {
  google::protobuf::RepeatedPtrField<AttributeProto> bound;
  for (const AttributeProto& attribute : body_node.attribute()) {
    if (attribute.ref_attr_name().empty()) {
      *bound.Add() = attribute;
    } else if (const AttributeProto* actual = find_attribute(call, attribute.ref_attr_name())) {
      AttributeProto* copy = bound.Add();
      *copy = *actual;
      copy->set_name(attribute.name());
    }
  }
  body_node.mutable_attribute()->Swap(&bound);
}

}  // namespace loopglass::onnx
