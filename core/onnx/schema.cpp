#include "core/onnx/schema.h"
#include "core/onnx/node_attributes.h"
#include "core/onnx/refusals.h"

#include <fmt/format.h>
#include <onnx/defs/schema.h>
#include <algorithm>

namespace loopglass::onnx {

namespace {

using ::onnx::AttributeProto;
using ::onnx::NodeProto;

// Trailing empty names are inputs left out.
int count(const google::protobuf::RepeatedPtrField<std::string>& names) {
  int size = names.size();
  while (size > 0 && names.Get(size - 1).empty()) --size;
  return size;
}

// Without optional ones at the end, which may be left out where the schema counts them: those of
// Loop, before any number of values that are carried.
int least_inputs(const ::onnx::OpSchema& schema) {
  int least = schema.min_input();
  while (least > 0 && schema.inputs()[static_cast<std::size_t>(least) - 1].GetOption() ==
                          ::onnx::OpSchema::Optional)
    --least;
  return least;
}

}  // namespace

Result<void> check_schema(const NodeProto& node, const std::string& domain, int opset) {
  const auto* schema = ::onnx::OpSchemaRegistry::Schema(node.op_type(), opset, domain);
  if (schema == nullptr) return {};
  const auto check_count = [&](std::string_view what, int actual, int least,
                               int most) -> Result<void> {
    if (actual < least || actual > most)
      return misused(fmt::format(
          "{} {}; {} takes {}", actual, what, node.op_type(),
          least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most)));
    return {};
  };
  // A version newer than the library may have grown inputs and attributes; required ones stay.
  const bool current =
      opset <= ::onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map().at(domain).second;
  const int unbounded = std::numeric_limits<int>::max();
  TRY_VOID(check_count("inputs", count(node.input()), current ? least_inputs(*schema) : 0,
                       current ? schema->max_input() : unbounded));
  TRY_VOID(check_count("outputs", count(node.output()), current ? schema->min_output() : 0,
                       current ? schema->max_output() : unbounded));
  for (const auto& [name, declared] : schema->attributes()) {
    const AttributeProto* attribute = find_attribute(node, name);
    if (attribute == nullptr) {
      if (declared.required && current)
        return misused(fmt::format("attribute '{}' is missing", name));
    } else if (attribute->has_type() && attribute->type() != declared.type &&
               attribute->type() != AttributeProto::UNDEFINED) {
      return misused(fmt::format("attribute '{}' is of kind {}, it must be {}", name,
                                 AttributeProto::AttributeType_Name(attribute->type()),
                                 AttributeProto::AttributeType_Name(declared.type)));
    }
  }
  return {};
}

}  // namespace loopglass::onnx
