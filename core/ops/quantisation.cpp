// Quantising to 8 bits and back, and convolution and matrix product on quantised operands: a value
// is (q - zero point) * scale. Products are summed in int32.
#include "core/ops/convolve.h"
#include "core/ops/families.h"
#include "core/ops/matrix_product.h"

#include <fmt/format.h>

namespace loopglass::ops {

namespace {

const TypeSet byte_types{"int8 or uint8", [](DataType type) {
                           return type == DataType::Int8 || type == DataType::UInt8;
                         }};
const TypeSet quantised_types{"int8, uint8 or int32", [](DataType type) {
                                return byte_types.contains(type) || type == DataType::Int32;
                              }};
const TypeSet quantisable_types{"float32 or int32", [](DataType type) {
                                  return type == DataType::Float32 || type == DataType::Int32;
                                }};
const TypeSet float32_type{"float32", [](DataType type) { return type == DataType::Float32; }};

// --- scales and zero points ---------------------------------------------------------------------

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

Expr float32(double value) { return expr::floating(DataType::Float32, value); }

// --- QuantizeLinear and DequantizeLinear --------------------------------------------------------

// The extent that scales per axis have; none where the axis does not exist (all in one then).
std::optional<std::int64_t> axis_extent(const InferContext& context) {
  const Shape& shape = context.input(0).shape;
  const auto axis = normalise_axis(context.attributes.integer("axis"), shape.size());
  return axis ? std::optional(shape[static_cast<std::size_t>(*axis)]) : std::nullopt;
}

Expr channel_of(const ComputeContext& context, const Indices& i) {
  const auto axis = normalise_axis(context.attributes.integer("axis"), i.size());
  return axis ? i[static_cast<std::size_t>(*axis)] : Expr(0);
}

Result<Types> infer_quantise(const InferContext& context) {
  TRY_VOID(require_type(context, 0, quantisable_types));
  const auto extent = axis_extent(context);
  TRY_VOID(require_parameter(context, 1, float32_type, extent));
  TRY_VOID(require_parameter(context, 2, byte_types, extent));
  return Types{{context.has(2) ? context.input(2).type : DataType::UInt8, context.input(0).shape}};
}

Result<Computed> compute_quantise(ComputeContext& context) {
  const te::Tensor& x = context.input(0);
  const DataType type = context.outputs[0].type;
  return Computed{context.builder.compute(context.name, x.shape, [&](const Indices& i) {
    const Expr channel = channel_of(context, i);
    const Expr zero = context.has(2) ? read(context.input(2), channel) : expr::constant(type, 0);
    return saturated(expr::cast(DataType::Float32, x(i)) / read(context.input(1), channel), zero,
                     type);
  })};
}

Result<Types> infer_dequantise(const InferContext& context) {
  TRY_VOID(require_type(context, 0, quantised_types));
  const auto extent = axis_extent(context);
  TRY_VOID(require_parameter(context, 1, float32_type, extent));
  TRY_VOID(require_zero_point(context, 2, context.input(0).type, extent));
  return Types{{DataType::Float32, context.input(0).shape}};
}

Result<Computed> compute_dequantise(ComputeContext& context) {
  const te::Tensor& x = context.input(0);
  return Computed{context.builder.compute(context.name, x.shape, [&](const Indices& i) {
    const Expr channel = channel_of(context, i);
    return expr::cast(DataType::Float32, centred(x(i), context, 2, channel)) *
           read(context.input(1), channel);
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

// --- convolution --------------------------------------------------------------------------------

struct ConvolutionInputs {
  std::size_t x, x_zero, w, w_zero;
};
constexpr ConvolutionInputs integer_inputs{0, 2, 1, 3}, linear_inputs{0, 2, 3, 5};

Result<Shape> infer_quantised_convolution(const InferContext& context,
                                          const ConvolutionInputs& at) {
  TRY_VOID(require_type(context, at.x, byte_types));
  TRY_VOID(require_type(context, at.w, byte_types));
  const TensorType &x = context.input(at.x), &w = context.input(at.w);
  if (x.shape.size() < 3 || w.shape.size() != x.shape.size())
    return misused(fmt::format("input {} and weights {} do not fit", to_string(x), to_string(w)));
  const Convolution convolution = TRY(convolution_of(x, w, context.attributes));
  TRY_VOID(require_zero_point(context, at.x_zero, x.type, std::nullopt));
  TRY_VOID(require_zero_point(context, at.w_zero, w.type, w.shape[0]));
  return convolution.output;
}

// Padding has the value 0, which is the zero point.
Result<te::Tensor> convolve_quantised(ComputeContext& context, const ConvolutionInputs& at,
                                      const std::string& name) {
  const te::Tensor &x = context.input(at.x), &w = context.input(at.w);
  const Convolution convolution =
      TRY(convolution_of({x.type, shape_of(x)}, {w.type, shape_of(w)}, context.attributes));
  const Expr zero =
      context.has(at.x_zero) ? read(context.input(at.x_zero), 0) : expr::constant(x.type, 0);
  const te::Tensor padded =
      pad_for(context.builder, x, convolution.window, context.name + "_pad", zero);
  return convolve(context.builder, name, padded, w, convolution,
                  [&](Expr element, Expr weight, const Expr& filter) {
                    return centred(std::move(element), context, at.x_zero, 0) *
                           centred(std::move(weight), context, at.w_zero, filter);
                  });
}

Result<Types> infer_conv_integer(const InferContext& context) {
  return Types{{DataType::Int32, TRY(infer_quantised_convolution(context, integer_inputs))}};
}

Result<Computed> compute_conv_integer(ComputeContext& context) {
  return Computed{TRY(convolve_quantised(context, integer_inputs, context.name))};
}

Result<Types> infer_qlinear_conv(const InferContext& context) {
  const Shape output = TRY(infer_quantised_convolution(context, linear_inputs));
  TRY_VOID(require_parameter(context, 1, float32_type, std::nullopt));
  TRY_VOID(require_parameter(context, 4, float32_type, output[1]));
  TRY_VOID(require_parameter(context, 6, float32_type, std::nullopt));
  TRY_VOID(require_parameter(context, 7, byte_types, std::nullopt));
  if (context.has(8) && context.input(8) != TensorType{DataType::Int32, {output[1]}})
    return misused(fmt::format("bias {} for {} filters", to_string(context.input(8)), output[1]));
  return Types{{context.input(7).type, output}};
}

// An int32 sum of products, in units of the output's scale.
Expr rescaled(const Expr& sum, const Expr& left_scale, const Expr& right_scale,
              const Expr& output_scale) {
  return expr::cast(DataType::Float32, sum) * (left_scale * right_scale / output_scale);
}

Result<Computed> compute_qlinear_conv(ComputeContext& context) {
  const te::Tensor sum = TRY(convolve_quantised(context, linear_inputs, context.name + "_conv"));
  return Computed{context.builder.compute(context.name, sum.shape, [&](const Indices& i) {
    const Expr total = context.has(8) ? sum(i) + context.input(8)({i[1]}) : sum(i);
    const Expr units = rescaled(total, read(context.input(1), 0), read(context.input(4), i[1]),
                                read(context.input(6), 0));
    return saturated(units, read(context.input(7), 0), context.outputs[0].type);
  })};
}

// --- matrix product -----------------------------------------------------------------------------

// Parameters of A may be one a row and those of B one a column.
Expr row_of(const Product& product, const Indices& i) {
  return product.row_vector ? Expr(0) : i[i.size() - (product.column_vector ? 1 : 2)];
}
Expr column_of(const Product& product, const Indices& i) {
  return product.column_vector ? Expr(0) : i.back();
}

std::optional<std::int64_t> rows(const Shape& a) {
  return a.size() < 2 ? std::nullopt : std::optional(a[a.size() - 2]);
}
std::optional<std::int64_t> columns(const Shape& b) {
  return b.size() < 2 ? std::nullopt : std::optional(b.back());
}

Result<Types> infer_matmul_integer(const InferContext& context) {
  TRY_VOID(require_type(context, 0, byte_types));
  TRY_VOID(require_type(context, 1, byte_types));
  const TensorType &a = context.input(0), &b = context.input(1);
  TRY_VOID(require_zero_point(context, 2, a.type, rows(a.shape)));
  TRY_VOID(require_zero_point(context, 3, b.type, columns(b.shape)));
  return Types{{DataType::Int32, TRY(product_of(a.shape, b.shape)).output}};
}

te::Tensor multiply_quantised(ComputeContext& context, const std::string& name, std::size_t a,
                              std::size_t a_zero, std::size_t b, std::size_t b_zero,
                              const Product& product) {
  return multiply(context.builder, name, context.input(a), context.input(b), product,
                  [&](Expr left, Expr right, const Indices& i) {
                    return centred(std::move(left), context, a_zero, row_of(product, i)) *
                           centred(std::move(right), context, b_zero, column_of(product, i));
                  });
}

Result<Computed> compute_matmul_integer(ComputeContext& context) {
  const Product product = TRY(product_of(shape_of(context.input(0)), shape_of(context.input(1))));
  return Computed{multiply_quantised(context, context.name, 0, 2, 1, 3, product)};
}

Result<Types> infer_qlinear_matmul(const InferContext& context) {
  TRY_VOID(require_type(context, 0, byte_types));
  TRY_VOID(require_type(context, 3, byte_types));
  const TensorType &a = context.input(0), &b = context.input(3);
  TRY_VOID(require_parameter(context, 1, float32_type, rows(a.shape)));
  TRY_VOID(require_zero_point(context, 2, a.type, rows(a.shape)));
  TRY_VOID(require_parameter(context, 4, float32_type, columns(b.shape)));
  TRY_VOID(require_zero_point(context, 5, b.type, columns(b.shape)));
  TRY_VOID(require_parameter(context, 6, float32_type, std::nullopt));
  TRY_VOID(require_parameter(context, 7, byte_types, std::nullopt));
  return Types{{context.input(7).type, TRY(product_of(a.shape, b.shape)).output}};
}

Result<Computed> compute_qlinear_matmul(ComputeContext& context) {
  const Product product = TRY(product_of(shape_of(context.input(0)), shape_of(context.input(3))));
  const te::Tensor sum = multiply_quantised(context, context.name + "_matmul", 0, 2, 3, 5, product);
  return Computed{context.builder.compute(context.name, sum.shape, [&](const Indices& i) {
    const Expr units =
        rescaled(sum(i), read(context.input(1), row_of(product, i)),
                 read(context.input(4), column_of(product, i)), read(context.input(6), 0));
    return saturated(units, read(context.input(7), 0), context.outputs[0].type);
  })};
}

// --- the table ----------------------------------------------------------------------------------

OpDef quantised(std::string name, std::string doc, std::vector<Operand> inputs, int since) {
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

OpDef define(OpDef op, std::vector<AttributeSpec> attributes,
             std::function<Result<Types>(const InferContext&)> infer,
             std::function<Result<Computed>(ComputeContext&)> compute) {
  op.attributes = std::move(attributes);
  op.infer = std::move(infer);
  op.compute = std::move(compute);
  return op;
}

}  // namespace

std::vector<OpDef> quantisation() {
  const auto required = [](const char* name, const char* doc) {
    return Operand{name, Arity::Required, doc};
  };
  const auto optional = [](const char* name, const char* doc) {
    return Operand{name, Arity::Optional, doc};
  };
  const AttributeSpec axis =
      attribute("axis", std::int64_t{1}, "the axis of the scales, if there are several");
  OpDef dynamic = quantised("DynamicQuantizeLinear", "Quantises to uint8 by the data's own range.",
                            {required("x", "")}, 11);
  dynamic.outputs.push_back({"y_scale", Arity::Required, "a scalar"});
  dynamic.outputs.push_back({"y_zero_point", Arity::Required, "a scalar"});
  return {
      define(quantised("QuantizeLinear",
                       "x / scale, rounded half to even, plus the zero point, saturated.",
                       {required("x", ""), required("y_scale", "one, or one along the axis"),
                        optional("y_zero_point", "uint8 0 by default")},
                       10),
             {axis}, infer_quantise, compute_quantise),
      define(quantised("DequantizeLinear", "(x - zero point) * scale.",
                       {required("x", ""), required("x_scale", "one, or one along the axis"),
                        optional("x_zero_point", "0 by default")},
                       10),
             {axis}, infer_dequantise, compute_dequantise),
      define(dynamic, {}, infer_dynamic_quantise, compute_dynamic_quantise),
      define(quantised("ConvInteger", "Convolution of 8-bit integers, summed in int32.",
                       {required("x", "N x C x spatial"), required("w", "K x C/group x kernel"),
                        optional("x_zero_point", "a scalar"),
                        optional("w_zero_point", "one, or one a filter")},
                       10),
             convolution_attributes(), infer_conv_integer, compute_conv_integer),
      define(quantised("MatMulInteger", "The matrix product of 8-bit integers, summed in int32.",
                       {required("A", ""), required("B", ""),
                        optional("a_zero_point", "one, or one a row"),
                        optional("b_zero_point", "one, or one a column")},
                       10),
             {}, infer_matmul_integer, compute_matmul_integer),
      define(quantised("QLinearConv", "Convolution of quantised operands to a quantised result.",
                       {required("x", "N x C x spatial"), required("x_scale", ""),
                        required("x_zero_point", ""), required("w", "K x C/group x kernel"),
                        required("w_scale", "one, or one a filter"), required("w_zero_point", ""),
                        required("y_scale", ""), required("y_zero_point", ""),
                        optional("B", "int32, in units of x_scale * w_scale")},
                       10),
             convolution_attributes(), infer_qlinear_conv, compute_qlinear_conv),
      define(quantised("QLinearMatMul",
                       "The matrix product of quantised operands to a quantised result.",
                       {required("a", ""), required("a_scale", "one, or one a row"),
                        required("a_zero_point", ""), required("b", ""),
                        required("b_scale", "one, or one a column"), required("b_zero_point", ""),
                        required("y_scale", ""), required("y_zero_point", "")},
                       10),
             {}, infer_qlinear_matmul, compute_qlinear_matmul),
  };
}

}  // namespace loopglass::ops
