// Quantising to 8 or 16 bits and back.
#include "core/ops/quantisation.h"

#include "core/ops/families.h"
#include "core/ops/quantised_number.h"
#include "core/support/ceil_div.h"

#include <fmt/format.h>

namespace loopglass::ops {

namespace {

using namespace quantised;

const TypeSet quantum_types{"int8, uint8, int16 or uint16", [](DataType type) {
                              return byte_types.contains(type) || type == DataType::Int16 ||
                                     type == DataType::UInt16;
                            }};
const TypeSet quantised_types{"int8, uint8, int16, uint16 or int32", [](DataType type) {
                                return quantum_types.contains(type) || type == DataType::Int32;
                              }};
const TypeSet scale_types{"float32 or float16", [](DataType type) {
                            return type == DataType::Float32 || type == DataType::Float16;
                          }};
const TypeSet quantisable_types{"float32, float16 or int32", [](DataType type) {
                                  return scale_types.contains(type) || type == DataType::Int32;
                                }};

Expr float32(double value) { return expr::floating(DataType::Float32, value); }

// --- QuantizeLinear and DequantizeLinear --------------------------------------------------------

ScaleSharing sharing_of(const Attributes& attributes, std::size_t rank) {
  const auto axis = normalise_axis(attributes.integer("axis"), rank);
  return {axis ? std::optional(static_cast<std::size_t>(*axis)) : std::nullopt,
          attributes.integer("block_size")};
}

Result<void> require_shared(const InferContext& context, std::size_t input, const TypeSet& types) {
  if (!context.has(input)) return {};
  const Shape& shape = context.input(0).shape;
  const ScaleSharing sharing = sharing_of(context.attributes, shape.size());
  if (sharing.block == 0)
    return require_parameter(context, input, types,
                             sharing.axis ? std::optional(shape[*sharing.axis]) : std::nullopt);
  TRY_VOID(require_type(context, input, types));
  if (sharing.block < 0 || !sharing.axis)
    return misused(fmt::format("blocks of {} along axis {} of {} axes", sharing.block,
                               context.attributes.integer("axis"), shape.size()));
  Shape blocks = shape;
  blocks[*sharing.axis] = ceil_div(shape[*sharing.axis], sharing.block);
  if (context.input(input).shape == blocks) return {};
  return misused(fmt::format("input {} is {}; blocks of {} want {}", input,
                             to_string(context.input(input)), sharing.block,
                             to_string(TensorType{context.input(input).type, blocks})));
}

// The scale or zero point of the element at `i`.
Expr shared(const ComputeContext& context, std::size_t input, const Indices& i) {
  const te::Tensor& parameter = context.input(input);
  const ScaleSharing sharing = sharing_of(context.attributes, i.size());
  if (sharing.block == 0) return read(parameter, sharing.axis ? i[*sharing.axis] : Expr(0));
  Indices at = i;
  at[*sharing.axis] = expr::floor_div(i[*sharing.axis], Expr(sharing.block));
  return parameter(at);
}

// Of the zero point, else as the attribute says.
Result<DataType> quantised_type(const InferContext& context) {
  const std::int64_t number = context.attributes.integer("output_dtype");
  const auto said = number == 0 ? std::nullopt : numbered_type(number);
  if (number != 0 && (!said || !quantum_types.contains(*said)))
    return unsupported_attribute(
        fmt::format("output_dtype = {} is not supported, only {}", number, quantum_types.words));
  if (!context.has(2)) return said.value_or(DataType::UInt8);
  if (said && *said != context.input(2).type)
    return misused(fmt::format("output_dtype is {}, the zero point {}", name(*said),
                               to_string(context.input(2))));
  return context.input(2).type;
}

Result<Types> infer_quantise(const InferContext& context) {
  TRY_VOID(require_type(context, 0, quantisable_types));
  TRY_VOID(require_shared(context, 1, scale_types));
  TRY_VOID(require_shared(context, 2, quantum_types));
  return Types{{TRY(quantised_type(context)), context.input(0).shape}};
}

Result<Computed> compute_quantise(ComputeContext& context) {
  const te::Tensor& x = context.input(0);
  const DataType type = context.outputs[0].type;
  return Computed{context.builder.compute(context.name, x.shape, [&](const Indices& i) {
    const Expr zero = context.has(2) ? shared(context, 2, i) : expr::constant(type, 0);
    return saturated(
        expr::cast(DataType::Float32, x(i)) / expr::cast(DataType::Float32, shared(context, 1, i)),
        zero, type);
  })};
}

// Of the scale, unless the attribute says another.
Result<DataType> dequantised_type(const InferContext& context) {
  const std::int64_t number = context.attributes.integer("output_dtype");
  if (number == 0) return context.input(1).type;
  const auto said = numbered_type(number);
  if (!said || !scale_types.contains(*said))
    return unsupported_attribute(
        fmt::format("output_dtype = {} is not supported, only {}", number, scale_types.words));
  return *said;
}

Result<Types> infer_dequantise(const InferContext& context) {
  TRY_VOID(require_type(context, 0, quantised_types));
  TRY_VOID(require_shared(context, 1, scale_types));
  TRY_VOID(require_shared(context, 2, quantised_types));
  if (context.has(2) && context.input(2).type != context.input(0).type)
    return misused(fmt::format("zero point {} for elements of {}", to_string(context.input(2)),
                               name(context.input(0).type)));
  return Types{{TRY(dequantised_type(context)), context.input(0).shape}};
}

Result<Computed> compute_dequantise(ComputeContext& context) {
  const te::Tensor& x = context.input(0);
  return Computed{context.builder.compute(context.name, x.shape, [&](const Indices& i) {
    const Expr scale = shared(context, 1, i);
    Expr whole = expr::cast(DataType::Int32, x(i));
    if (context.has(2)) whole = whole - expr::cast(DataType::Int32, shared(context, 2, i));
    return expr::cast(context.outputs[0].type,
                      expr::cast(DataType::Float32, whole) * expr::cast(DataType::Float32, scale));
  })};
}

// --- DynamicQuantizeLinear ----------------------------------------------------------------------

Result<Types> infer_dynamic_quantise(const InferContext& context) {
  TRY_VOID(require_type(context, 0, float32_type));
  if (context.output_count != 3) return misused("its three outputs go together");
  return Types{
      {DataType::UInt8, context.input(0).shape}, {DataType::Float32, {}}, {DataType::UInt8, {}}};
}

// The range, widened to hold 0, is spread over the 256 values.
Result<Computed> compute_dynamic_quantise(ComputeContext& context) {
  const te::Tensor& x = context.input(0);
  const auto extreme = [&](const char* suffix, te::Reducer reducer) {
    return context.builder.reduce(context.name + suffix, {}, x.shape, reducer,
                                  [&](const Indices&, const Indices& r) { return x(r); });
  };
  const te::Tensor least = extreme("_least", te::Reducer::Min),
                   most = extreme("_most", te::Reducer::Max);
  const te::Tensor scale =
      context.builder.compute(context.name + "_scale", {}, [&](const Indices&) {
        const Expr range = expr::max(most({}), float32(0)) - expr::min(least({}), float32(0));
        // Nothing but zeros: any scale will do.
        return expr::select(expr::equal(range, float32(0)), float32(1), range / float32(255));
      });
  const te::Tensor zero =
      context.builder.compute(context.name + "_zero_point", {}, [&](const Indices&) {
        return saturated(-expr::min(least({}), float32(0)) / scale({}),
                         expr::integer(DataType::UInt8, 0), DataType::UInt8);
      });
  const te::Tensor y = map(context.builder, context.name, x, [&](Expr value) {
    return saturated(value / scale({}), zero({}), DataType::UInt8);
  });
  return Computed{y, scale, zero};
}

}  // namespace

bool is_quantisation(const OpDef& op) { return op.name == "QuantizeLinear"; }
bool is_dequantisation(const OpDef& op) { return op.name == "DequantizeLinear"; }

std::optional<ScaleSharing> dequantisation_of(const OpDef& op, const Attributes& attributes,
                                              std::size_t rank) {
  if (!is_dequantisation(op)) return std::nullopt;
  return sharing_of(attributes, rank);
}

std::vector<OpDef> quantisation() {
  const AttributeSpec axis =
      attribute("axis", std::int64_t{1}, "the axis of the scales, if there are several");
  const AttributeSpec block = attribute("block_size", std::int64_t{0},
                                        "elements along the axis that share a scale; 0: all");
  // Of numbers that are no bytes, and of a division that is done in float32 here.
  const AttributeSpec saturate = attribute("saturate", std::int64_t{1}, "of floats of 8 bits"),
                      precision = attribute("precision", std::int64_t{0},
                                            "of the division, which is done in float32");
  OpDef dynamic =
      operator_named("DynamicQuantizeLinear", "Quantises to uint8 by the data's own range.",
                     {required("x", "")}, 11);
  dynamic.outputs.push_back({"y_scale", Arity::Required, "a scalar"});
  dynamic.outputs.push_back({"y_zero_point", Arity::Required, "a scalar"});
  std::vector<OpDef> operators{
      completed(
          operator_named("QuantizeLinear",
                         "x / scale, rounded half to even, plus the zero point, saturated.",
                         {required("x", ""), required("y_scale", "one, or one along the axis"),
                          optional("y_zero_point", "uint8 0 by default")},
                         10),
          {axis, block, saturate, precision,
           attribute("output_dtype", std::int64_t{0},
                     "ONNX's number of the type, where no zero point tells it")},
          infer_quantise, compute_quantise),
      completed(
          operator_named("DequantizeLinear", "(x - zero point) * scale.",
                         {required("x", ""), required("x_scale", "one, or one along the axis"),
                          optional("x_zero_point", "0 by default")},
                         10),
          {axis, block,
           attribute("output_dtype", std::int64_t{0}, "ONNX's number of the type; 0: the scale's")},
          infer_dequantise, compute_dequantise),
      completed(dynamic, {}, infer_dynamic_quantise, compute_dynamic_quantise),
  };
  return operators;
}

}  // namespace loopglass::ops
