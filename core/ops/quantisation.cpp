// Quantising to 8 or 16 bits and back, and convolution and matrix product on quantised operands: a
// value is (q - zero point) * scale. Products are summed in int32, one by one or in pairs.
#include "core/ops/convolve.h"
#include "core/ops/families.h"
#include "core/ops/matrix_product.h"
#include "core/ops/paired_products.h"

#include <fmt/format.h>

#include <algorithm>

namespace loopglass::ops {

namespace {

const TypeSet byte_types{"int8 or uint8", [](DataType type) {
                           return type == DataType::Int8 || type == DataType::UInt8;
                         }};
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
const TypeSet int32_type{"int32", [](DataType type) { return type == DataType::Int32; }};
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
  TRY_VOID(require_parameter(context, 1, scale_types, extent));
  TRY_VOID(require_parameter(context, 2, quantum_types, extent));
  return Types{{context.has(2) ? context.input(2).type : DataType::UInt8, context.input(0).shape}};
}

Result<Computed> compute_quantise(ComputeContext& context) {
  const te::Tensor& x = context.input(0);
  const DataType type = context.outputs[0].type;
  return Computed{context.builder.compute(context.name, x.shape, [&](const Indices& i) {
    const Expr channel = channel_of(context, i);
    const Expr zero = context.has(2) ? read(context.input(2), channel) : expr::constant(type, 0);
    const Expr scale = expr::cast(DataType::Float32, read(context.input(1), channel));
    return saturated(expr::cast(DataType::Float32, x(i)) / scale, zero, type);
  })};
}

Result<Types> infer_dequantise(const InferContext& context) {
  TRY_VOID(require_type(context, 0, quantised_types));
  const auto extent = axis_extent(context);
  TRY_VOID(require_parameter(context, 1, scale_types, extent));
  TRY_VOID(require_zero_point(context, 2, context.input(0).type, extent));
  return Types{{context.input(1).type, context.input(0).shape}};
}

Result<Computed> compute_dequantise(ComputeContext& context) {
  const te::Tensor& x = context.input(0);
  return Computed{context.builder.compute(context.name, x.shape, [&](const Indices& i) {
    const Expr channel = channel_of(context, i);
    const Expr scale = read(context.input(1), channel);
    return expr::cast(scale.type(),
                      expr::cast(DataType::Float32, centred(x(i), context, 2, channel)) *
                          expr::cast(DataType::Float32, scale));
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

// --- weights ------------------------------------------------------------------------------------

// Bytes with zero points, or pairs that these have been taken from (paired_products.h).
enum class Weights : std::uint8_t { Bytes, Pairs };

Result<void> require_weights(const InferContext& context, Weights weights, std::size_t input) {
  return require_type(context, input, weights == Weights::Bytes ? byte_types : int32_type);
}

// Which inputs are multiplied. Weights in pairs have no zero point.
struct Factors {
  std::size_t x, x_zero, w, w_zero;
};
constexpr Factors integer_factors{0, 2, 1, 3}, linear_factors{0, 2, 3, 5};

// Which inputs a quantised result is made by.
struct Rescaling {
  std::size_t x_scale, w_scale, scale, zero, bias;
};
constexpr Rescaling rescaling(Weights weights) {
  return weights == Weights::Bytes ? Rescaling{1, 4, 6, 7, 8} : Rescaling{1, 4, 5, 6, 7};
}

// --- convolution --------------------------------------------------------------------------------

constexpr std::size_t channels = 1;  // the dimension

Result<Shape> infer_quantised_convolution(const InferContext& context, const Factors& at,
                                          Weights weights) {
  TRY_VOID(require_type(context, at.x, byte_types));
  TRY_VOID(require_weights(context, weights, at.w));
  const TensorType &x = context.input(at.x), &w = context.input(at.w);
  if (x.shape.size() < 3 || w.shape.size() != x.shape.size())
    return misused(fmt::format("input {} and weights {} do not fit", to_string(x), to_string(w)));
  TRY_VOID(require_zero_point(context, at.x_zero, x.type, std::nullopt));
  if (weights == Weights::Bytes)
    TRY_VOID(require_zero_point(context, at.w_zero, w.type, w.shape[0]));
  const std::int64_t groups = context.attributes.integer("group");
  if (weights == Weights::Pairs && (groups < 1 || x.shape[channels] % groups != 0))
    return misused(fmt::format("{} groups of {} channels", groups, x.shape[channels]));
  const TensorType terms = weights == Weights::Pairs ? in_pairs(x, channels, groups) : x;
  return TRY(convolution_of(terms, w, context.attributes)).output;
}

Result<te::Tensor> convolve_pairs(ComputeContext& context, const Factors& at,
                                  const std::string& name) {
  const te::Tensor& w = context.input(at.w);
  const te::Tensor pairs =
      in_pairs(context.builder, context.name + "_pairs", context.input(at.x), channels,
               context.attributes.integer("group"), [&](Expr element, const Indices&) {
                 return centred(std::move(element), context, at.x_zero, 0);
               });
  const Convolution convolution = TRY(convolution_of(
      {DataType::Int32, shape_of(pairs)}, {DataType::Int32, shape_of(w)}, context.attributes));
  const te::Tensor padded = pad_for(context.builder, pairs, convolution.window,
                                    context.name + "_pad", expr::integer(DataType::Int32, 0));
  return convolve(context.builder, name, padded, w, convolution,
                  [](Expr element, Expr weight, const Expr&) {
                    return expr::dot_pairs(std::move(element), std::move(weight));
                  });
}

// Padding has the value 0, which is the zero point.
Result<te::Tensor> convolve_quantised(ComputeContext& context, const Factors& at,
                                      const std::string& name, Weights weights) {
  if (weights == Weights::Pairs) return convolve_pairs(context, at, name);
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

Result<Types> infer_conv_integer(const InferContext& context, Weights weights) {
  return Types{
      {DataType::Int32, TRY(infer_quantised_convolution(context, integer_factors, weights))}};
}

Result<Computed> compute_conv_integer(ComputeContext& context, Weights weights) {
  return Computed{TRY(convolve_quantised(context, integer_factors, context.name, weights))};
}

Result<Types> infer_qlinear_conv(const InferContext& context, Weights weights) {
  const Shape output = TRY(infer_quantised_convolution(context, linear_factors, weights));
  const Rescaling by = rescaling(weights);
  TRY_VOID(require_parameter(context, by.x_scale, float32_type, std::nullopt));
  TRY_VOID(require_parameter(context, by.w_scale, float32_type, output[1]));
  TRY_VOID(require_parameter(context, by.scale, float32_type, std::nullopt));
  TRY_VOID(require_parameter(context, by.zero, byte_types, std::nullopt));
  if (context.has(by.bias) && context.input(by.bias) != TensorType{DataType::Int32, {output[1]}})
    return misused(
        fmt::format("bias {} for {} filters", to_string(context.input(by.bias)), output[1]));
  return Types{{context.input(by.zero).type, output}};
}

// An int32 sum of products, in units of the output's scale.
Expr rescaled(const Expr& sum, const Expr& left_scale, const Expr& right_scale,
              const Expr& output_scale) {
  return expr::cast(DataType::Float32, sum) * (left_scale * right_scale / output_scale);
}

Result<Computed> compute_qlinear_conv(ComputeContext& context, Weights weights) {
  const te::Tensor sum =
      TRY(convolve_quantised(context, linear_factors, context.name + "_conv", weights));
  const Rescaling by = rescaling(weights);
  return Computed{context.builder.compute(context.name, sum.shape, [&](const Indices& i) {
    const Expr total = context.has(by.bias) ? sum(i) + context.input(by.bias)({i[1]}) : sum(i);
    const Expr units =
        rescaled(total, read(context.input(by.x_scale), 0), read(context.input(by.w_scale), i[1]),
                 read(context.input(by.scale), 0));
    return saturated(units, read(context.input(by.zero), 0), context.outputs[0].type);
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

// The terms that A has for the weights.
TensorType terms_of(const TensorType& a, Weights weights) {
  return weights == Weights::Pairs && !a.shape.empty() ? in_pairs(a, a.shape.size() - 1, 1) : a;
}

Result<Shape> infer_quantised_product(const InferContext& context, const Factors& at,
                                      Weights weights) {
  TRY_VOID(require_type(context, at.x, byte_types));
  TRY_VOID(require_weights(context, weights, at.w));
  const TensorType &a = context.input(at.x), &b = context.input(at.w);
  TRY_VOID(require_zero_point(context, at.x_zero, a.type, rows(a.shape)));
  if (weights == Weights::Bytes)
    TRY_VOID(require_zero_point(context, at.w_zero, b.type, columns(b.shape)));
  return TRY(product_of(terms_of(a, weights).shape, b.shape)).output;
}

struct QuantisedProduct {
  Product product;
  te::Tensor sum;
};

Result<QuantisedProduct> multiply_quantised(ComputeContext& context, const Factors& at,
                                            const std::string& name, Weights weights) {
  const te::Tensor &a = context.input(at.x), &b = context.input(at.w);
  const Shape terms = terms_of({DataType::Int32, shape_of(a)}, weights).shape;
  const Product product = TRY(product_of(terms, shape_of(b)));
  const auto less_zero_point = [&](Expr element, const Expr& row) {
    return centred(std::move(element), context, at.x_zero, row);
  };
  if (weights == Weights::Pairs) {
    const te::Tensor pairs =
        in_pairs(context.builder, context.name + "_pairs", a, a.rank() - 1, 1,
                 [&](Expr element, const Indices& i) {
                   return less_zero_point(std::move(element), i.size() < 2 ? 0 : i[i.size() - 2]);
                 });
    return QuantisedProduct{product, multiply(context.builder, name, pairs, b, product,
                                              [](Expr left, Expr right, const Indices&) {
                                                return expr::dot_pairs(std::move(left),
                                                                       std::move(right));
                                              })};
  }
  return QuantisedProduct{
      product,
      multiply(context.builder, name, a, b, product, [&](Expr left, Expr right, const Indices& i) {
        return less_zero_point(std::move(left), row_of(product, i)) *
               centred(std::move(right), context, at.w_zero, column_of(product, i));
      })};
}

Result<Types> infer_matmul_integer(const InferContext& context, Weights weights) {
  return Types{{DataType::Int32, TRY(infer_quantised_product(context, integer_factors, weights))}};
}

Result<Computed> compute_matmul_integer(ComputeContext& context, Weights weights) {
  return Computed{TRY(multiply_quantised(context, integer_factors, context.name, weights)).sum};
}

Result<Types> infer_qlinear_matmul(const InferContext& context, Weights weights) {
  const Shape output = TRY(infer_quantised_product(context, linear_factors, weights));
  const Rescaling by = rescaling(weights);
  TRY_VOID(require_parameter(context, by.x_scale, float32_type, rows(context.input(0).shape)));
  TRY_VOID(require_parameter(context, by.w_scale, float32_type, columns(context.input(3).shape)));
  TRY_VOID(require_parameter(context, by.scale, float32_type, std::nullopt));
  TRY_VOID(require_parameter(context, by.zero, byte_types, std::nullopt));
  return Types{{context.input(by.zero).type, output}};
}

Result<Computed> compute_qlinear_matmul(ComputeContext& context, Weights weights) {
  const QuantisedProduct multiplied =
      TRY(multiply_quantised(context, linear_factors, context.name + "_matmul", weights));
  const Rescaling by = rescaling(weights);
  return Computed{
      context.builder.compute(context.name, multiplied.sum.shape, [&](const Indices& i) {
        const Expr units = rescaled(
            multiplied.sum(i), read(context.input(by.x_scale), row_of(multiplied.product, i)),
            read(context.input(by.w_scale), column_of(multiplied.product, i)),
            read(context.input(by.scale), 0));
        return saturated(units, read(context.input(by.zero), 0), context.outputs[0].type);
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

// An operator whose weights are bytes, and its form for pairs of them.
std::vector<OpDef> define_both(const OpDef& op, const Factors& at,
                               const std::vector<AttributeSpec>& attributes,
                               Result<Types> (*infer)(const InferContext&, Weights),
                               Result<Computed> (*compute)(ComputeContext&, Weights)) {
  const auto defined = [&](OpDef each, Weights weights) {
    return define(
        std::move(each), attributes,
        [=](const InferContext& context) { return infer(context, weights); },
        [=](ComputeContext& context) { return compute(context, weights); });
  };
  OpDef paired = op;
  paired.name = paired_form_name(op.name);
  paired.doc += " Of the weights two terms, less their zero points, lie in one int32.";
  paired.onnx.clear();
  paired.inputs.erase(paired.inputs.begin() + static_cast<std::ptrdiff_t>(at.w_zero));
  return {defined(op, Weights::Bytes), defined(std::move(paired), Weights::Pairs)};
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
  std::vector<OpDef> operators{
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
  };
  for (std::vector<OpDef>& both : std::vector{
           define_both(
               quantised("ConvInteger", "Convolution of 8-bit integers, summed in int32.",
                         {required("x", "N x C x spatial"), required("w", "K x C/group x kernel"),
                          optional("x_zero_point", "a scalar"),
                          optional("w_zero_point", "one, or one a filter")},
                         10),
               integer_factors, convolution_attributes(), infer_conv_integer, compute_conv_integer),
           define_both(
               quantised("MatMulInteger", "The matrix product of 8-bit integers, summed in int32.",
                         {required("A", ""), required("B", ""),
                          optional("a_zero_point", "one, or one a row"),
                          optional("b_zero_point", "one, or one a column")},
                         10),
               integer_factors, {}, infer_matmul_integer, compute_matmul_integer),
           define_both(
               quantised("QLinearConv", "Convolution of quantised operands to a quantised result.",
                         {required("x", "N x C x spatial"), required("x_scale", ""),
                          required("x_zero_point", ""), required("w", "K x C/group x kernel"),
                          required("w_scale", "one, or one a filter"), required("w_zero_point", ""),
                          required("y_scale", ""), required("y_zero_point", ""),
                          optional("B", "int32, in units of x_scale * w_scale")},
                         10),
               linear_factors, convolution_attributes(), infer_qlinear_conv, compute_qlinear_conv),
           define_both(
               quantised("QLinearMatMul",
                         "The matrix product of quantised operands to a quantised result.",
                         {required("a", ""), required("a_scale", "one, or one a row"),
                          required("a_zero_point", ""), required("b", ""),
                          required("b_scale", "one, or one a column"), required("b_zero_point", ""),
                          required("y_scale", ""), required("y_zero_point", "")},
                         10),
               linear_factors, {}, infer_qlinear_matmul, compute_qlinear_matmul)})
    std::ranges::move(both, std::back_inserter(operators));
  return operators;
}

}  // namespace loopglass::ops
