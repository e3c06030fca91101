#include "core/ops/quantised_number.h"

#include <fmt/format.h>

namespace loopglass::ops::quantised {

const TypeSet byte_types{"int8 or uint8", [](DataType type) {
                           return type == DataType::Int8 || type == DataType::UInt8;
                         }};
const TypeSet int32_type{"int32", [](DataType type) { return type == DataType::Int32; }};
const TypeSet float32_type{"float32", [](DataType type) { return type == DataType::Float32; }};

bool is_single(const Shape& shape) { return shape.empty() || shape == Shape{1}; }

// A scale or zero point is one for all, or one for each of `extent` channels where those are
// allowed.
Result<void> require_parameter(const InferContext& context, std::size_t input, const TypeSet& types,
                               std::optional<std::int64_t> extent) {
  if (!context.has(input)) return {};
  TRY_VOID(require_type(context, input, types));
  const TensorType& type = context.input(input);
  if (is_single(type.shape) || (extent && type.shape == Shape{*extent})) return {};
  return unsupported_attribute(fmt::format(
      "input {} is {}, neither a single value nor {}", input, to_string(type),
      extent ? fmt::format("one for each of {} channels", *extent) : "else supported here"));
}

Result<void> require_zero_point(const InferContext& context, std::size_t input, DataType type,
                                std::optional<std::int64_t> extent) {
  if (!context.has(input)) return {};
  if (context.input(input).type != type)
    return misused(fmt::format("zero point {} for elements of {}", to_string(context.input(input)),
                               name(type)));
  return require_parameter(context, input, any_type, extent);
}

// The parameter of channel `channel`.
Expr read(const te::Tensor& parameter, const Expr& channel) {
  if (parameter.rank() == 0) return parameter({});
  return parameter({expr::as_integer(parameter.shape[0]) == 1 ? Expr(0) : channel});
}

// The element less its zero point, in int32.
Expr centred(Expr element, const ComputeContext& context, std::size_t zero_point,
             const Expr& channel) {
  const Expr wide = expr::cast(DataType::Int32, std::move(element));
  return context.has(zero_point)
             ? wide - expr::cast(DataType::Int32, read(context.input(zero_point), channel))
             : wide;
}

// A float32 in units of the scale, rounded half to even, moved by the zero point and saturated.
Expr saturated(const Expr& units, const Expr& zero_point, DataType type) {
  const auto bound = [&](const Expr& limit) { return expr::cast(DataType::Float32, limit); };
  const Expr moved = expr::unary(expr::UnaryOperator::RoundEven, units) +
                     expr::cast(DataType::Float32, zero_point);
  return expr::cast(
      type, expr::max(expr::min(moved, bound(expr::highest(type))), bound(expr::lowest(type))));
}

Operand required(const char* name, const char* doc) { return {name, Arity::Required, doc}; }
Operand optional(const char* name, const char* doc) { return {name, Arity::Optional, doc}; }

OpDef operator_named(std::string name, std::string doc, std::vector<Operand> inputs, int since) {
  return {.name = name,
          .family = Family::Quantisation,
          .doc = std::move(doc),
          .inputs = std::move(inputs),
          .outputs = {{"y", Arity::Required, ""}},
          .attributes = {},
          .infer = {},
          .compute = {},
          .onnx = {{.name = name, .since = since}}};
}

OpDef completed(OpDef op, std::vector<AttributeSpec> attributes,
                std::function<Result<Types>(const InferContext&)> infer,
                std::function<Result<Computed>(ComputeContext&)> compute) {
  op.attributes = std::move(attributes);
  op.infer = std::move(infer);
  op.compute = std::move(compute);
  return op;
}

}  // namespace loopglass::ops::quantised
