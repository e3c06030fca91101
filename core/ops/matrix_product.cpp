// MatMul, Gemm and Einsum.
#include "core/ops/matrix_product.h"
#include "core/ops/families.h"
#include "core/ops/precision.h"

#include <fmt/format.h>

#include <map>
#include <set>

namespace loopglass::ops {

namespace {

// --- MatMul -------------------------------------------------------------------------------------

Result<Types> infer_matmul(const InferContext& context) {
  TRY_VOID(require_type(context, 0, number_types));
  TRY_VOID(require_same_types(context));
  const Product product = TRY(product_of(context.input(0).shape, context.input(1).shape));
  return Types{{context.input(0).type, product.output}};
}

Result<Computed> compute_matmul(ComputeContext& context) {
  const Product product = TRY(product_of(shape_of(context.input(0)), shape_of(context.input(1))));
  const DataType type = context.outputs[0].type;
  const te::Tensor sum = multiply(
      context.builder, accumulating(context.name, type, "_matmul"), context.input(0),
      context.input(1), product,
      [](Expr a, Expr b, const Indices&) { return widened(std::move(a)) * widened(std::move(b)); });
  return Computed{narrow(context.builder, sum, type, context.name)};
}

// --- Gemm ---------------------------------------------------------------------------------------

Result<Types> infer_gemm(const InferContext& context) {
  TRY_VOID(require_type(context, 0, number_types));
  TRY_VOID(require_same_types(context));
  TRY_VOID(require_rank(context, 0, 2));
  TRY_VOID(require_rank(context, 1, 2));
  const Attributes& attributes = context.attributes;
  if (!is_float(context.input(0).type) &&
      (attributes.real("alpha") != 1 || attributes.real("beta") != 1))
    return fail(Code::TypeUnsupported,
                fmt::format("alpha or beta other than 1 on {}", name(context.input(0).type)));
  const Shape &a = context.input(0).shape, &b = context.input(1).shape;
  const bool turn_a = attributes.integer("transA") != 0, turn_b = attributes.integer("transB") != 0;
  if (a[turn_a ? 0 : 1] != b[turn_b ? 1 : 0])
    return misused(fmt::format("{}{} by {}{} do not multiply", to_string(a),
                               turn_a ? " transposed" : "", to_string(b),
                               turn_b ? " transposed" : ""));
  const Shape output{a[turn_a ? 1 : 0], b[turn_b ? 0 : 1]};
  if (context.has(2)) TRY_VOID(require_broadcasts_to(context.input(2).shape, output));
  return Types{{context.input(0).type, output}};
}

Result<Computed> compute_gemm(ComputeContext& context) {
  const te::Tensor &a = context.input(0), &b = context.input(1);
  const bool turn_a = context.attributes.integer("transA") != 0,
             turn_b = context.attributes.integer("transB") != 0;
  const DataType type = context.outputs[0].type, wide = accumulator_type(type);
  const double alpha = context.attributes.real("alpha"), beta = context.attributes.real("beta");
  const bool adds = context.has(2) && beta != 0, changes = adds || alpha != 1;
  const te::Tensor sum = context.builder.reduce(
      changes ? context.name + "_matmul" : accumulating(context.name, type, "_matmul"),
      te::extents(context.outputs[0].shape), {a.shape[turn_a ? 0 : 1]}, te::Reducer::Sum,
      [&](const Indices& i, const Indices& r) {
        return widened(turn_a ? a({r[0], i[0]}) : a({i[0], r[0]})) *
               widened(turn_b ? b({i[1], r[0]}) : b({r[0], i[1]}));
      });
  if (!changes) return Computed{narrow(context.builder, sum, type, context.name)};
  return Computed{context.builder.compute(context.name, sum.shape, [&](const Indices& i) {
    Expr value = alpha == 1 ? sum(i) : sum(i) * expr::constant(wide, alpha);
    if (adds) {
      const Expr addend = widened(broadcast_read(context.input(2), i));
      value = value + (beta == 1 ? addend : addend * expr::constant(wide, beta));
    }
    return expr::cast(type, value);
  })};
}

// Before opset 7 C had the output's shape unless an attribute let it broadcast.
Result<Attributes> old_broadcast(Attributes attributes, const InferContext& context) {
  const bool broadcasts = attributes.has("broadcast") && attributes.integer("broadcast") != 0;
  attributes.erase("broadcast");
  if (!broadcasts && context.has(2) && context.input(2).shape.size() != 2)
    return misused("C has not the output's shape, and 'broadcast' is not set");
  return attributes;
}

// --- Einsum -------------------------------------------------------------------------------------

// One letter an axis. The axes an ellipsis stands for are the digits '0', '1', ..., the last of
// them '9', so that operands with fewer of them line up at the end and broadcast.
struct Equation {
  std::vector<std::string> operands;
  std::string output;
};

constexpr std::size_t most_ellipsis_axes = 10;

Result<std::string> expand_ellipsis(std::string_view term, std::size_t ellipsis_axes) {
  std::string labels;
  for (std::size_t i = 0; i < term.size(); ++i) {
    const char c = term[i];
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
      labels += c;
    } else if (term.substr(i, 3) == "..." && term.find("...", i + 3) == std::string_view::npos) {
      for (std::size_t axis = most_ellipsis_axes - ellipsis_axes; axis < most_ellipsis_axes; ++axis)
        labels += static_cast<char>('0' + axis);
      i += 2;
    } else {
      return misused(fmt::format("'{}' is no term of an equation", term));
    }
  }
  return labels;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == separator) parts.emplace_back();
    else parts.back() += c;
  return parts;
}

// Without an arrow the output has the ellipsis, then every letter that occurs once, in order.
std::string implied_output(const std::vector<std::string>& operands) {
  std::map<char, int> count;
  std::string ellipsis, letters;
  for (const std::string& operand : operands)
    for (const char label : operand) ++count[label];
  for (const auto& [label, times] : count)
    if (label <= '9') ellipsis += label;
    else if (times == 1) letters += label;
  return ellipsis + letters;
}

Result<Equation> parse_equation(const std::string& text, const std::vector<Shape>& shapes) {
  std::string dense;
  for (const char c : text)
    if (c != ' ') dense += c;
  const std::size_t arrow = dense.find("->");
  const std::vector<std::string> terms = split(dense.substr(0, arrow), ',');
  if (terms.size() != shapes.size())
    return misused(fmt::format("the equation '{}' is for {} operands, not {}", text, terms.size(),
                               shapes.size()));
  Equation equation;
  std::size_t ellipsis_axes = 0;
  for (std::size_t k = 0; k < terms.size(); ++k) {
    const bool ellipsis = terms[k].find("...") != std::string::npos;
    const std::size_t letters = terms[k].size() - (ellipsis ? 3 : 0), rank = shapes[k].size();
    if (rank < letters || (!ellipsis && rank != letters) || rank - letters > most_ellipsis_axes)
      return misused(fmt::format("term '{}' does not fit an operand of shape {}", terms[k],
                                 to_string(shapes[k])));
    ellipsis_axes = std::max(ellipsis_axes, rank - letters);
    equation.operands.push_back(TRY(expand_ellipsis(terms[k], rank - letters)));
  }
  equation.output = arrow == std::string::npos
                        ? implied_output(equation.operands)
                        : TRY(expand_ellipsis(dense.substr(arrow + 2), ellipsis_axes));
  return equation;
}

// The extent of every label; only the axes of an ellipsis broadcast.
Result<std::map<char, std::int64_t>> label_extents(const Equation& equation,
                                                   const std::vector<Shape>& shapes) {
  std::map<char, std::int64_t> extents;
  for (std::size_t k = 0; k < shapes.size(); ++k)
    for (std::size_t axis = 0; axis < shapes[k].size(); ++axis) {
      const char label = equation.operands[k][axis];
      const auto [found, fresh] = extents.emplace(label, shapes[k][axis]);
      if (fresh || found->second == shapes[k][axis] || (label <= '9' && shapes[k][axis] == 1))
        continue;
      if (label > '9' || found->second != 1)
        return misused(
            fmt::format("label '{}' has extents {} and {}", label, found->second, shapes[k][axis]));
      found->second = shapes[k][axis];
    }
  // numpy refuses to sum over an ellipsis, too.
  for (const auto& [label, extent] : extents)
    if (label <= '9' && equation.output.find(label) == std::string::npos)
      return misused("the ellipsis of an operand is missing in the output");
  std::set<char> seen;
  for (const char label : equation.output)
    if (!extents.contains(label) || !seen.insert(label).second)
      return misused(
          fmt::format("label '{}' of the output is not once in it and in an operand", label));
  return extents;
}

Result<Types> infer_einsum(const InferContext& context) {
  TRY_VOID(require_type(context, 0, number_types));
  TRY_VOID(require_same_types(context));
  std::vector<Shape> shapes;
  for (const TensorType* input : context.inputs) shapes.push_back(input->shape);
  const Equation equation = TRY(parse_equation(context.attributes.string("equation"), shapes));
  const auto extents = TRY(label_extents(equation, shapes));
  Shape output;
  for (const char label : equation.output) output.push_back(extents.at(label));
  return Types{{context.input(0).type, output}};
}

Result<Computed> compute_einsum(ComputeContext& context) {
  std::vector<Shape> shapes;
  for (const te::Tensor& input : context.inputs) shapes.push_back(shape_of(input));
  const Equation equation = TRY(parse_equation(context.attributes.string("equation"), shapes));
  const auto extents = TRY(label_extents(equation, shapes));
  std::string summed;
  std::vector<Expr> reduced;
  for (const auto& [label, extent] : extents)
    if (equation.output.find(label) == std::string::npos) {
      summed += label;
      reduced.emplace_back(extent);
    }
  const te::Tensor sum = reduce_as(
      context.builder, context.name, context.outputs[0].type, te::extents(context.outputs[0].shape),
      reduced, te::Reducer::Sum, [&](const Indices& i, const Indices& r) {
        Expr product;
        for (std::size_t k = 0; k < shapes.size(); ++k) {
          Indices indices;
          for (std::size_t axis = 0; axis < shapes[k].size(); ++axis) {
            const char label = equation.operands[k][axis];
            const std::size_t position = equation.output.find(label);
            if (shapes[k][axis] == 1) indices.emplace_back(0);
            else
              indices.push_back(position != std::string::npos ? i[position]
                                                              : r[summed.find(label)]);
          }
          const Expr factor = widened(context.input(k)(indices));
          product = product.defined() ? product * factor : factor;
        }
        return product;
      });
  return Computed{sum};
}

}  // namespace

// --- shared with the integer forms --------------------------------------------------------------

Result<Product> product_of(const Shape& a, const Shape& b) {
  if (a.empty() || b.empty()) return misused("a scalar has no matrix product");
  Product product{
      .row_vector = a.size() == 1, .column_vector = b.size() == 1, .output = {}, .inner = a.back()};
  const std::int64_t inner_b = b.size() == 1 ? b[0] : b[b.size() - 2];
  if (product.inner != inner_b)
    return misused(fmt::format("{} by {} do not multiply", to_string(a), to_string(b)));
  const Shape batch_a(a.begin(), a.end() - std::min<std::ptrdiff_t>(2, std::ssize(a)));
  const Shape batch_b(b.begin(), b.end() - std::min<std::ptrdiff_t>(2, std::ssize(b)));
  product.output = TRY(broadcast(batch_a, batch_b));
  if (!product.row_vector) product.output.push_back(a[a.size() - 2]);
  if (!product.column_vector) product.output.push_back(b.back());
  return product;
}

te::Tensor multiply(te::Builder& builder, const std::string& name, const te::Tensor& a,
                    const te::Tensor& b, const Product& product,
                    const std::function<Expr(Expr a, Expr b, const Indices& i)>& term) {
  return builder.reduce(
      name, te::extents(product.output), {product.inner}, te::Reducer::Sum,
      [&](const Indices& i, const Indices& r) {
        const std::size_t batch =
            i.size() - (product.row_vector ? 0 : 1) - (product.column_vector ? 0 : 1);
        // The batch axes of an operand broadcast like any shape; 0 where it has extent 1.
        const auto batch_indices = [&](const te::Tensor& operand) {
          Indices indices;
          const std::size_t own = operand.rank() - std::min<std::size_t>(2, operand.rank());
          for (std::size_t axis = 0; axis < own; ++axis)
            indices.push_back(expr::as_integer(operand.shape[axis]) == 1 ? Expr(0)
                                                                         : i[batch - own + axis]);
          return indices;
        };
        Indices left = batch_indices(a), right = batch_indices(b);
        if (!product.row_vector) left.push_back(i[batch]);
        left.push_back(r[0]);
        right.push_back(r[0]);
        if (!product.column_vector) right.push_back(i.back());
        return term(a(left), b(right), i);
      });
}

std::vector<OpDef> matrix_product() {
  return {
      {.name = "MatMul",
       .family = Family::MatrixProduct,
       .doc = "The matrix product, with numpy's rules for vectors and for broadcasting batches.",
       .inputs = {{"A", Arity::Required, "... x M x K"}, {"B", Arity::Required, "... x K x N"}},
       .outputs = {{"Y", Arity::Required, "... x M x N"}},
       .attributes = {},
       .infer = infer_matmul,
       .compute = compute_matmul,
       .onnx = {{.name = "MatMul"}}},
      {.name = "Gemm",
       .family = Family::MatrixProduct,
       .doc = "alpha * A * B + beta * C, where A and B may be transposed and C broadcasts.",
       .inputs = {{"A", Arity::Required, "M x K, or K x M if transA"},
                  {"B", Arity::Required, "K x N, or N x K if transB"},
                  {"C", Arity::Optional, "broadcasts to M x N"}},
       .outputs = {{"Y", Arity::Required, "M x N"}},
       .attributes = {attribute("alpha", 1.0, "factor of the product"),
                      attribute("beta", 1.0, "factor of C"),
                      attribute("transA", std::int64_t{0}, "A is transposed"),
                      attribute("transB", std::int64_t{0}, "B is transposed")},
       .infer = infer_gemm,
       .compute = compute_gemm,
       .onnx = {{.name = "Gemm", .since = 7},
                {.name = "Gemm", .until = 6, .adapt = old_broadcast}}},
      {.name = "Einsum",
       .family = Family::MatrixProduct,
       .doc = "Einstein's summation: products of elements that share labels, summed over labels "
              "not in the output.",
       .inputs = {{"Inputs", Arity::Variadic, "one a term of the equation"}},
       .outputs = {{"Output", Arity::Required, "one axis a label of the output"}},
       .attributes = {required_attribute("equation", AttributeKind::String,
                                         "ij,jk->ik; without an arrow the labels that occur once")},
       .infer = infer_einsum,
       .compute = compute_einsum,
       .onnx = {{.name = "Einsum", .since = 12}},
       .relay_kind = PatternKind::Injective},  // whatever it sums
  };
}

}  // namespace loopglass::ops
