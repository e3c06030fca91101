// Convolution and matrix product on quantised operands, summed in int32, one by one or in words.
#include "core/ops/convolve.h"
#include "core/ops/families.h"
#include "core/ops/matrix_product.h"
#include "core/ops/packed_products.h"
#include "core/ops/quantisation.h"
#include "core/ops/quantised_number.h"

#include <fmt/format.h>

#include <algorithm>

namespace loopglass::ops {

namespace {

using namespace quantised;

// --- weights ------------------------------------------------------------------------------------

// Bytes with zero points, or words that these have been taken from (packed_products.h).
using Weights = std::optional<Packing>;
constexpr Weights in_bytes = std::nullopt;

// Which inputs are multiplied. Weights in pairs have no zero point; in quads, their sums are there.
struct Factors {
  std::size_t x, x_zero, w, w_zero;
};
constexpr Factors integer_factors{0, 2, 1, 3}, linear_factors{0, 2, 3, 5};

// Which inputs a quantised result is made by.
struct Rescaling {
  std::size_t x_scale, w_scale, scale, zero, bias;
};
constexpr Rescaling rescaling(Weights weights) {
  return weights == Packing::Pairs ? Rescaling{1, 4, 5, 6, 7} : Rescaling{1, 4, 6, 7, 8};
}

Result<void> require_weights(const InferContext& context, const Factors& at, Weights weights,
                             std::optional<std::int64_t> filters) {
  TRY_VOID(require_type(context, at.w, weights ? int32_type : byte_types));
  if (!weights) return require_zero_point(context, at.w_zero, context.input(at.w).type, filters);
  if (weights != Packing::Quads) return {};
  if (!filters || !context.has(at.w_zero) ||
      context.input(at.w_zero) != TensorType{DataType::Int32, {*filters}})
    return misused("weights in quads want their sums, int32, one a filter or column");
  return {};
}

// --- data in words ------------------------------------------------------------------------------

std::string words_suffix(Packing packing) {
  return packing == Packing::Pairs ? "_pairs" : "_quads";
}

// From int8 to uint8 in the same order.
constexpr std::int64_t to_unsigned = 128;

Expr unsigned_byte(const Expr& element) {
  const Expr whole = expr::cast(DataType::Int32, element);
  return element.type() == DataType::UInt8 ? whole
                                           : whole + expr::integer(DataType::Int32, to_unsigned);
}

// What a term of a word is made of: an int16 about zero, or an unsigned byte.
Expr term_of_word(Expr element, const ComputeContext& context, const Factors& at, const Expr& row,
                  Packing packing) {
  return packing == Packing::Pairs ? centred(std::move(element), context, at.x_zero, row)
                                   : unsigned_byte(element);
}

// The zero point of unsigned bytes, in int32.
Expr unsigned_zero(const ComputeContext& context, const Factors& at, const Expr& row) {
  return context.has(at.x_zero) ? unsigned_byte(read(context.input(at.x_zero), row))
                                : unsigned_byte(expr::integer(context.input(at.x).type, 0));
}

// Whether sums of words lack what the zero points of the data have added to them.
bool is_off_zero(const ComputeContext& context, const Factors& at, Packing packing) {
  return packing == Packing::Quads &&
         (context.has(at.x_zero) || context.input(at.x).type == DataType::Int8);
}

// `sum_words(name)` less what the zero points have added, under this name.
te::Tensor less_zero(ComputeContext& context, const Factors& at, const std::string& name,
                     Packing packing,
                     const std::function<te::Tensor(const std::string&)>& sum_words,
                     const std::function<std::pair<Expr, Expr>(const Indices&)>& row_and_filter) {
  if (!is_off_zero(context, at, packing)) return sum_words(name);
  const te::Tensor sum = sum_words(name + "_of_quads");
  return context.builder.compute(name, sum.shape, [&](const Indices& i) {
    const auto [row, filter] = row_and_filter(i);
    return sum(i) - unsigned_zero(context, at, row) * context.input(at.w_zero)({filter});
  });
}

// --- convolution --------------------------------------------------------------------------------

constexpr std::size_t channels = 1;  // the dimension

Result<Shape> infer_quantised_convolution(const InferContext& context, const Factors& at,
                                          Weights weights) {
  TRY_VOID(require_type(context, at.x, byte_types));
  const TensorType &x = context.input(at.x), &w = context.input(at.w);
  if (x.shape.size() < 3 || w.shape.size() != x.shape.size())
    return misused(fmt::format("input {} and weights {} do not fit", to_string(x), to_string(w)));
  TRY_VOID(require_zero_point(context, at.x_zero, x.type, std::nullopt));
  TRY_VOID(require_weights(context, at, weights, w.shape[0]));
  const std::int64_t groups = context.attributes.integer("group");
  if (weights && (groups < 1 || x.shape[channels] % groups != 0))
    return misused(fmt::format("{} groups of {} channels", groups, x.shape[channels]));
  const TensorType terms = weights ? in_words(x, channels, groups, *weights) : x;
  return TRY(convolution_of(terms, w, context.attributes)).output;
}

// Padding has the value 0, which is the zero point.
Result<te::Tensor> convolve_words(ComputeContext& context, const Factors& at,
                                  const std::string& name, Packing packing) {
  const te::Tensor& w = context.input(at.w);
  const te::Tensor words =
      in_words(context.builder, context.name + words_suffix(packing), context.input(at.x), channels,
               context.attributes.integer("group"), packing, [&](Expr element, const Indices&) {
                 return term_of_word(std::move(element), context, at, 0, packing);
               });
  const Convolution convolution = TRY(convolution_of(
      {DataType::Int32, shape_of(words)}, {DataType::Int32, shape_of(w)}, context.attributes));
  const Expr zero = packing == Packing::Pairs
                        ? expr::integer(DataType::Int32, 0)
                        : word_of_equal(unsigned_zero(context, at, 0), packing);
  const te::Tensor padded =
      pad_for(context.builder, words, convolution.window, context.name + "_pad", zero);
  return less_zero(
      context, at, name, packing,
      [&](const std::string& sum) {
        return convolve(context.builder, sum, padded, w, convolution,
                        [packing](Expr element, Expr weight, const Expr&) {
                          return dot_words(std::move(element), std::move(weight), packing);
                        });
      },
      [](const Indices& i) { return std::pair(Expr(0), i[channels]); });
}

// The same of bytes.
Result<te::Tensor> convolve_quantised(ComputeContext& context, const Factors& at,
                                      const std::string& name, Weights weights) {
  if (weights) return convolve_words(context, at, name, *weights);
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
  return weights && !a.shape.empty() ? in_words(a, a.shape.size() - 1, 1, *weights) : a;
}

Result<Shape> infer_quantised_product(const InferContext& context, const Factors& at,
                                      Weights weights) {
  TRY_VOID(require_type(context, at.x, byte_types));
  const TensorType &a = context.input(at.x), &b = context.input(at.w);
  TRY_VOID(require_zero_point(context, at.x_zero, a.type, rows(a.shape)));
  TRY_VOID(require_weights(context, at, weights, columns(b.shape)));
  if (weights == Packing::Quads && b.shape.size() != 2)
    return misused(fmt::format("weights in quads are {}, not one matrix", to_string(b)));
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
  if (weights) {
    const Packing packing = *weights;
    const te::Tensor words =
        in_words(context.builder, context.name + words_suffix(packing), a, a.rank() - 1, 1, packing,
                 [&](Expr element, const Indices& i) {
                   return term_of_word(std::move(element), context, at,
                                       i.size() < 2 ? 0 : i[i.size() - 2], packing);
                 });
    const auto sum_words = [&](const std::string& sum) {
      return multiply(context.builder, sum, words, b, product,
                      [packing](Expr left, Expr right, const Indices&) {
                        return dot_words(std::move(left), std::move(right), packing);
                      });
    };
    return QuantisedProduct{product,
                            less_zero(context, at, name, packing, sum_words, [&](const Indices& i) {
                              return std::pair(row_of(product, i), column_of(product, i));
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

// An operator whose weights are bytes, and its forms for words of them.
std::vector<OpDef> in_all_forms(const OpDef& op, const Factors& at,
                                const std::vector<AttributeSpec>& attributes,
                                Result<Types> (*infer)(const InferContext&, Weights),
                                Result<Computed> (*compute)(ComputeContext&, Weights)) {
  const auto defined = [&](OpDef each, Weights weights) {
    return completed(
        std::move(each), attributes,
        [=](const InferContext& context) { return infer(context, weights); },
        [=](ComputeContext& context) { return compute(context, weights); });
  };
  OpDef paired = op, quad = op;
  paired.name = packed_form_name(op.name, Packing::Pairs);
  paired.doc += " Of the weights two terms, less their zero points, lie in one int32.";
  paired.inputs.erase(paired.inputs.begin() + static_cast<std::ptrdiff_t>(at.w_zero));
  quad.name = packed_form_name(op.name, Packing::Quads);
  quad.doc += " Of the weights four terms, less their zero points, lie in one int32 as int8.";
  quad.inputs[at.w_zero].name = "sums";
  quad.inputs[at.w_zero].doc = "of the weights of each filter or column, int32";
  paired.onnx.clear();
  quad.onnx.clear();
  return {defined(op, in_bytes), defined(std::move(paired), Packing::Pairs),
          defined(std::move(quad), Packing::Quads)};
}

}  // namespace

std::optional<Operation> integer_form_of(const OpDef& op, const Attributes& attributes) {
  if (op.name == "Conv") return operation_named("ConvInteger", attributes);
  if (op.name == "MatMul" || op.name == "Gemm") return operation_named("MatMulInteger", {});
  return std::nullopt;
}

std::vector<OpDef> quantised_products() {
  std::vector<OpDef> operators;
  for (std::vector<OpDef>& forms : std::vector{
           in_all_forms(
               operator_named(
                   "ConvInteger", "Convolution of 8-bit integers, summed in int32.",
                   {required("x", "N x C x spatial"), required("w", "K x C/group x kernel"),
                    optional("x_zero_point", "a scalar"),
                    optional("w_zero_point", "one, or one a filter")},
                   10),
               integer_factors, convolution_attributes(), infer_conv_integer, compute_conv_integer),
           in_all_forms(operator_named("MatMulInteger",
                                       "The matrix product of 8-bit integers, summed in int32.",
                                       {required("A", ""), required("B", ""),
                                        optional("a_zero_point", "one, or one a row"),
                                        optional("b_zero_point", "one, or one a column")},
                                       10),
                        integer_factors, {}, infer_matmul_integer, compute_matmul_integer),
           in_all_forms(
               operator_named(
                   "QLinearConv", "Convolution of quantised operands to a quantised result.",
                   {required("x", "N x C x spatial"), required("x_scale", ""),
                    required("x_zero_point", ""), required("w", "K x C/group x kernel"),
                    required("w_scale", "one, or one a filter"), required("w_zero_point", ""),
                    required("y_scale", ""), required("y_zero_point", ""),
                    optional("B", "int32, in units of x_scale * w_scale")},
                   10),
               linear_factors, convolution_attributes(), infer_qlinear_conv, compute_qlinear_conv),
           in_all_forms(
               operator_named(
                   "QLinearMatMul",
                   "The matrix product of quantised operands to a quantised result.",
                   {required("a", ""), required("a_scale", "one, or one a row"),
                    required("a_zero_point", ""), required("b", ""),
                    required("b_scale", "one, or one a column"), required("b_zero_point", ""),
                    required("y_scale", ""), required("y_zero_point", "")},
                   10),
               linear_factors, {}, infer_qlinear_matmul, compute_qlinear_matmul)})
    std::ranges::move(forms, std::back_inserter(operators));
  return operators;
}
}  // namespace loopglass::ops
