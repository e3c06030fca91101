#include "core/ops/opaque.h"

#include "core/ops/families.h"
#include "core/ops/registry.h"
#include "core/ops/support.h"
#include "core/support/check.h"
#include "core/tensor/type_text.h"

#include <fmt/format.h>

namespace loopglass::ops {

namespace {

using Strings = std::vector<std::string>;

const Strings& strings(const Attributes& attributes, const std::string& name) {
  const AttributeValue* value = attributes.find(name);
  CHECK(value != nullptr && std::holds_alternative<Strings>(*value),
        fmt::format("an opaque operator has '{}'", name));
  return std::get<Strings>(*value);
}

Result<std::vector<TensorType>> types_of(const Attributes& attributes) {
  Types types;
  for (const std::string& text : strings(attributes, opaque_types)) {
    TextCursor cursor(text);
    types.push_back(TRY(parse_type(cursor)));
    if (!cursor.at_end()) return cursor.error("expected the end of the type");
  }
  return types;
}

Result<Types> infer_opaque(const InferContext& context) {
  Types types = TRY(types_of(context.attributes));
  if (types.size() != context.output_count)
    return misused(
        fmt::format("{} types are declared for {} results", types.size(), context.output_count));
  if (!is_unsupported(static_cast<Code>(context.attributes.integer("code"))))
    return misused(fmt::format("{} is no diagnostic that makes an operator opaque",
                               context.attributes.integer("code")));
  if (types.empty()) return misused("an operator has at least one result");
  return types;
}

}  // namespace

std::vector<OpDef> opaque_family() {
  OpDef op{
      .name = "Opaque",
      .family = Family::Opaque,
      .doc =
          "An operator that is not known or not supported: what is around it is compiled, and "
          "nothing is moved across it.",
      .inputs = {{"operands", Arity::Variadic, "whatever it reads, of any type"}},
      .outputs = {{"results", Arity::Variadic, "of the types that the model declares"}},
      .attributes = {attribute("domain", std::string(), "the operator's domain; empty is ai.onnx"),
                     required_attribute("operator", AttributeKind::String, "its name in the model"),
                     attribute("version", std::int64_t{0}, "of the domain's operator set"),
                     attribute("attributes", Strings(), "what the model says of it, as text"),
                     attribute("subgraphs", Strings(),
                               "the attributes that are graphs, which can be opened"),
                     required_attribute("code", AttributeKind::Int, "the diagnostic that says why"),
                     required_attribute("reason", AttributeKind::String, "why it is opaque"),
                     attribute("hint", std::string(), "what can be done about it"),
                     required_attribute(opaque_types, AttributeKind::Strings,
                                        "types of the results")},
      .infer = infer_opaque,
      .compute = [](ComputeContext& context) -> Result<Computed> {
        return std::unexpected(opaque_reason(context.attributes));
      },
      .onnx = {},
  };
  op.opaque = true;
  return {std::move(op)};
}

const OpDef& opaque_operator() {
  static const OpDef* const found = find_operator("Opaque");
  return *found;
}

Attributes opaque_attributes(const OpaqueOperator& opaque) {
  Strings types;
  for (const TensorType& type : opaque.types) types.push_back(type_text(type));
  return {{"domain", opaque.domain},       {"operator", opaque.name},
          {"version", opaque.version},     {"attributes", opaque.attributes},
          {"subgraphs", opaque.subgraphs}, {"code", static_cast<std::int64_t>(opaque.reason.code)},
          {"reason", opaque.reason.what},  {"hint", opaque.reason.hint},
          {opaque_types, std::move(types)}};
}

OpaqueOperator opaque_of(const Attributes& attributes) {
  auto types = types_of(attributes);
  CHECK(types.has_value(), "an opaque operator's types are text that parses");
  return {attributes.string("domain"),
          attributes.string("operator"),
          attributes.integer("version"),
          strings(attributes, "attributes"),
          strings(attributes, "subgraphs"),
          opaque_reason(attributes),
          std::move(*types)};
}

std::string opaque_name(const Attributes& attributes) {
  const std::string& domain = attributes.string("domain");
  const std::string& name = attributes.string("operator");
  return domain.empty() ? name : fmt::format("{}.{}", domain, name);
}

Diagnostic opaque_reason(const Attributes& attributes) {
  return {static_cast<Code>(attributes.integer("code")),
          attributes.string("reason"),
          {},
          attributes.string("hint")};
}

bool is_pure(const Attributes& opaque) { return opaque.string("domain").empty(); }

}  // namespace loopglass::ops
