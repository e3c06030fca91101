#include "core/onnx/node_attributes.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>
#include <algorithm>

namespace loopglass::onnx {

namespace {

using ::onnx::AttributeProto;

// Models older than IR version 2 leave the type out; then the field that is set decides.
AttributeProto::AttributeType type_of(const AttributeProto& proto) {
  if (proto.has_type() && proto.type() != AttributeProto::UNDEFINED) return proto.type();
  if (proto.has_f()) return AttributeProto::FLOAT;
  if (proto.has_i()) return AttributeProto::INT;
  if (proto.has_s()) return AttributeProto::STRING;
  if (proto.has_t()) return AttributeProto::TENSOR;
  if (proto.has_g()) return AttributeProto::GRAPH;
  if (proto.floats_size() > 0) return AttributeProto::FLOATS;
  if (proto.ints_size() > 0) return AttributeProto::INTS;
  if (proto.strings_size() > 0) return AttributeProto::STRINGS;
  return AttributeProto::UNDEFINED;
}

}  // namespace

const AttributeProto* find_attribute(const ::onnx::NodeProto& node, std::string_view name) {
  const auto found =
      std::find_if(node.attribute().begin(), node.attribute().end(),
                   [&](const AttributeProto& attribute) { return attribute.name() == name; });
  return found == node.attribute().end() ? nullptr : &*found;
}

Result<ops::AttributeValue> attribute_value(const AttributeProto& proto, TensorReader& reader) {
  const AttributeProto::AttributeType type = type_of(proto);
  switch (type) {
    case AttributeProto::INT: return proto.i();
    case AttributeProto::FLOAT: return static_cast<double>(proto.f());
    case AttributeProto::STRING: return proto.s();
    case AttributeProto::INTS:
      return std::vector<std::int64_t>(proto.ints().begin(), proto.ints().end());
    case AttributeProto::FLOATS:
      return std::vector<double>(proto.floats().begin(), proto.floats().end());
    case AttributeProto::STRINGS:
      return std::vector<std::string>(proto.strings().begin(), proto.strings().end());
    case AttributeProto::TENSOR: return TRY(reader.read(proto.t()));
    default:
      return fail(Code::AttributeUnsupported,
                  fmt::format("attribute '{}' of kind {} is not supported", proto.name(),
                              AttributeProto::AttributeType_Name(type)));
  }
}

Result<ops::Attributes> node_attributes(const ::onnx::NodeProto& node, TensorReader& reader) {
  ops::Attributes attributes;
  for (const AttributeProto& proto : node.attribute()) {
    if (attributes.has(proto.name()))
      return fail(Code::ModelCorrupt, fmt::format("attribute '{}' is given twice", proto.name()));
    attributes.set(proto.name(), TRY(attribute_value(proto, reader)));
  }
  return attributes;
}

Result<ops::AttributeValue> bound_value(const ops::OpDef& op, const std::string& attribute,
                                        const Tensor& constant) {
  const auto spec = std::find_if(op.attributes.begin(), op.attributes.end(),
                                 [&](const ops::AttributeSpec& s) { return s.name == attribute; });
  // One that only the operator's adapt function knows keeps its tensor.
  if (spec == op.attributes.end() || spec->kind == ops::AttributeKind::Tensor) return constant;
  const auto refuse = [&]() {
    return fail(Code::OperatorMisused,
                fmt::format("{} cannot serve as '{}', which takes {}", to_string(constant.type()),
                            attribute, name(spec->kind)));
  };
  const bool single =
      spec->kind == ops::AttributeKind::Int || spec->kind == ops::AttributeKind::Float;
  if (single && constant.elements() != 1) return refuse();
  const bool whole = is_integer(constant.data_type()) || constant.data_type() == DataType::Bool;
  switch (spec->kind) {
    case ops::AttributeKind::Int:
      if (!whole) return refuse();
      return constant.integer_at(0);
    case ops::AttributeKind::Ints:
      if (!whole) return refuse();
      return constant.to_integers();
    case ops::AttributeKind::Float: return constant.double_at(0);
    case ops::AttributeKind::Floats: {
      std::vector<double> values;
      for (std::int64_t i = 0; i < constant.elements(); ++i)
        values.push_back(constant.double_at(i));
      return values;
    }
    case ops::AttributeKind::Tensor:
    case ops::AttributeKind::String:
    case ops::AttributeKind::Strings: break;
  }
  return refuse();
}

}  // namespace loopglass::onnx
