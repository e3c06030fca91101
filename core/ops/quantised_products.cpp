// Convolution and matrix product on quantised operands, summed in int32, one by one or in pairs.
#include "core/ops/convolve.h"
#include "core/ops/families.h"
#include "core/ops/matrix_product.h"
#include "core/ops/paired_products.h"
#include "core/ops/quantisation.h"
#include "core/ops/quantised_number.h"

#include <fmt/format.h>

#include <algorithm>

namespace loopglass::ops {

namespace {

using namespace quantised;

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

// An operator whose weights are bytes, and its form for pairs of them.
std::vector<OpDef> define_both(const OpDef& op, const Factors& at,
                               const std::vector<AttributeSpec>& attributes,
                               Result<Types> (*infer)(const InferContext&, Weights),
                               Result<Computed> (*compute)(ComputeContext&, Weights)) {
  const auto defined = [&](OpDef each, Weights weights) {
    return completed(
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

std::optional<Operation> integer_form_of(const OpDef& op, const Attributes& attributes) {
  if (op.name == "Conv") return operation_named("ConvInteger", attributes);
  if (op.name == "MatMul" || op.name == "Gemm") return operation_named("MatMulInteger", {});
  return std::nullopt;
}

std::vector<OpDef> quantised_products() {
  std::vector<OpDef> operators;
  for (std::vector<OpDef>& both : std::vector{
           define_both(operator_named(
                           "ConvInteger", "Convolution of 8-bit integers, summed in int32.",
                           {required("x", "N x C x spatial"), required("w", "K x C/group x kernel"),
                            optional("x_zero_point", "a scalar"),
                            optional("w_zero_point", "one, or one a filter")},
                           10),
                       integer_factors, convolution_attributes(), infer_conv_integer,
                       compute_conv_integer),
           define_both(operator_named("MatMulInteger",
                                      "The matrix product of 8-bit integers, summed in int32.",
                                      {required("A", ""), required("B", ""),
                                       optional("a_zero_point", "one, or one a row"),
                                       optional("b_zero_point", "one, or one a column")},
                                      10),
                       integer_factors, {}, infer_matmul_integer, compute_matmul_integer),
           define_both(
               operator_named(
                   "QLinearConv", "Convolution of quantised operands to a quantised result.",
                   {required("x", "N x C x spatial"), required("x_scale", ""),
                    required("x_zero_point", ""), required("w", "K x C/group x kernel"),
                    required("w_scale", "one, or one a filter"), required("w_zero_point", ""),
                    required("y_scale", ""), required("y_zero_point", ""),
                    optional("B", "int32, in units of x_scale * w_scale")},
                   10),
               linear_factors, convolution_attributes(), infer_qlinear_conv, compute_qlinear_conv),
           define_both(
               operator_named(
                   "QLinearMatMul",
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
