// Transposes merge, cancel, become a Reshape where no element moves, are taken over by matrix
// products, and otherwise fall past pointwise operators.
#include "passes/graph/rules/families.h"
#include "passes/graph/rules/movement.h"

#include <algorithm>
#include <numeric>

namespace loopglass::passes::rules {

namespace {

using graph::Node;
using graph::ValueId;
using Replacement = std::optional<ValueId>;

// Axis by axis of the result, the axis of what the inner one is given.
Integers composed(const Site& site, const Node& inner) {
  return permuted(permutation_of(site, inner), permutation_of(site, site.node()));
}

Replacement transposes_cancel(Site& site) {
  const Node* inner = site.producer(site.input(0), "Transpose");
  if (inner == nullptr || !is_identity(composed(site, *inner))) return {};
  return inner->inputs[0];
}

Replacement transpose_of_transpose(Site& site) {
  const Node* inner = site.producer(site.input(0), "Transpose");
  if (inner == nullptr) return {};
  const Integers permutation = composed(site, *inner);
  if (is_identity(permutation)) return {};
  return transposed(site, inner->inputs[0], permutation);
}

Replacement transpose_of_unit_axes(Site& site) {
  const Integers permutation = permutation_of(site, site.node());
  if (is_identity(permutation) ||
      !moves_unit_axes_only(permutation, site.type(site.input(0)).shape))
    return {};
  return reshaped(site, site.input(0), site.result_type().shape);
}

Replacement explicit_permutation(Site& site) {
  if (site.node().attributes.has("perm")) return {};
  return site.make("Transpose", {site.input(0)}, {{"perm", permutation_of(site, site.node())}});
}

Replacement transpose_below_pointwise(Site& site, Company company) {
  const Shape shape = site.result_type().shape;
  std::optional<Integers> permutation;
  for (const ValueId operand : site.node().inputs)
    if (const Node* found = site.producer(operand, "Transpose"); found && !permutation)
      permutation = permutation_of(site, *found);
  // Shorter operands are broadcast from behind, and their axes are not the transposed ones.
  if (!permutation || permutation->size() != shape.size()) return {};
  const Integers back = inverse(*permutation);
  const auto unmoved = before_move(
      site,
      {.undo = [&](ValueId value) -> Replacement {
         const Node* found = site.producer(value, "Transpose");
         if (found == nullptr || !site.only_user(value) ||
             permutation_of(site, *found) != *permutation)
           return {};
         return found->inputs[0];
       },
       .undo_constant = [&](const Tensor& constant) -> std::optional<Tensor> {
         if (constant.shape().size() > shape.size()) return {};
         return permuted(constant.reshaped(with_leading_ones(constant.shape(), shape.size())),
                         back);
       },
       .unmoved = permuted(shape, back)},
      company);
  if (!unmoved) return {};
  return transposed(site, *unmoved, *permutation);
}

Replacement transpose_of_expand(Site& site) {
  const ValueId wide = site.input(0);
  const Node* expand = site.producer(wide, "Expand");
  if (expand == nullptr || !site.only_user(wide) ||
      elements(site, expand->inputs[0]) >= elements(site, wide))
    return {};
  const Integers permutation = permutation_of(site, site.node());
  const ValueId narrow = expand->inputs[0];
  const Shape aligned = with_leading_ones(site.type(narrow).shape, permutation.size());
  return expanded(site, transposed(site, reshaped(site, narrow, aligned), permutation),
                  site.result_type().shape);
}

// --- matrix products -----------------------------------------------------------------------------

// What a Transpose of a matrix was given.
Replacement transposed_matrix(Site& site, ValueId value) {
  const Node* found = site.producer(value, "Transpose");
  if (found == nullptr || permutation_of(site, *found) != Integers{1, 0}) return {};
  return found->inputs[0];
}

// Gemm with transA or transB turned round for each operand that is a Transpose.
Replacement with_flags(Site& site, std::vector<ValueId> inputs, ops::Attributes attributes) {
  bool changed = false;
  for (const std::size_t k : {0, 1}) {
    const auto matrix = transposed_matrix(site, inputs[k]);
    if (!matrix) continue;
    const char* flag = k == 0 ? "transA" : "transB";
    const bool turned = attributes.has(flag) && attributes.integer(flag) != 0;
    inputs[k] = *matrix;
    attributes.set(flag, std::int64_t{!turned});
    changed = true;
  }
  if (!changed) return {};
  return site.make("Gemm", std::move(inputs), std::move(attributes));
}

Replacement transpose_into_gemm(Site& site) {
  return with_flags(site, site.node().inputs, site.node().attributes);
}

Replacement transpose_into_matmul(Site& site) {
  for (const std::size_t k : {0, 1})
    if (site.type(site.input(k)).shape.size() != 2) return {};
  return with_flags(site, site.node().inputs, {});
}

// All axes in place but for the last two, which are exchanged.
Integers exchange_of_last(std::size_t rank) {
  Integers permutation(rank);
  std::iota(permutation.begin(), permutation.end(), 0);
  std::swap(permutation[rank - 1], permutation[rank - 2]);
  return permutation;
}

Replacement product_of_transposes(Site& site) {
  std::vector<ValueId> matrices;
  for (const std::size_t k : {0, 1}) {
    const Node* found = site.producer(site.input(k), "Transpose");
    if (found == nullptr || !site.only_user(site.input(k))) return {};
    const Integers permutation = permutation_of(site, *found);
    if (permutation.size() < 2 || permutation != exchange_of_last(permutation.size())) return {};
    matrices.push_back(found->inputs[0]);
  }
  const std::size_t rank = site.result_type().shape.size();
  return transposed(site, site.make("MatMul", {matrices[1], matrices[0]}), exchange_of_last(rank));
}

// --- depth and space -----------------------------------------------------------------------------

Replacement blocks_of_one(Site& site) {
  if (site.node().attributes.integer("blocksize") != 1) return {};
  return site.input(0);
}

// DepthToSpace in mode DCR takes channels as SpaceToDepth lays them.
bool undoes_space_to_depth(const Node& depth_to_space) {
  return depth_to_space.attributes.string("mode") == "DCR";
}

Replacement depth_and_space_cancel(Site& site) {
  const bool to_space = site.is("DepthToSpace");
  const Node* inner = site.producer(site.input(0), to_space ? "SpaceToDepth" : "DepthToSpace");
  if (inner == nullptr || !undoes_space_to_depth(to_space ? site.node() : *inner) ||
      inner->attributes.integer("blocksize") != site.node().attributes.integer("blocksize"))
    return {};
  return inner->inputs[0];
}

}  // namespace

RuleTable transpose_rules() {
  const auto below = [](Company company) {
    return [company](Site& site) { return transpose_below_pointwise(site, company); };
  };
  // clang-format off: a table, two lines a rule
  return {
      {"transposes-cancel",
       "transpose(transpose(x, p), inverse of p)",
       "x",
       "",
       RuleClass::Exact,
       {"Transpose"},
       transposes_cancel},
      {"transpose-of-transpose",
       "transpose(transpose(x, p), q)",
       "transpose(x, p then q)",
       "",
       RuleClass::Exact,
       {"Transpose"},
       transpose_of_transpose},
      {"transpose-of-unit-axes",
       "transpose(x)",
       "reshape(x)",
       "where the axes that move among the others have extent 1: no element moves in memory",
       RuleClass::Exact,
       {"Transpose"},
       transpose_of_unit_axes},
      {"explicit-permutation",
       "transpose(x)",
       "transpose(x, last ... first)",
       "so that equal transposes look equal",
       RuleClass::Exact,
       {"Transpose"},
       explicit_permutation},
      {"transpose-below-unary", "f(transpose(x))", "transpose(f(x))",
       "where f works element by element and nothing else needs transpose(x)", RuleClass::Exact,
       pointwise_operators(), below(Company::Alone)},
      {"transposes-below-elementwise", "f(transpose(x, p), transpose(y, p))",
       "transpose(f(x, y), p)", "one transpose less; nothing else needs them", RuleClass::Exact,
       pointwise_operators(), below(Company::Alike)},
      {"transpose-below-elementwise-with-constant", "f(transpose(x, p), c)",
       "transpose(f(x, transpose(c, inverse of p)), p)",
       "c is transposed now; nothing else needs it", RuleClass::Exact, pointwise_operators(),
       below(Company::Constants)},
      {"transpose-of-expand",
       "transpose(expand(x))",
       "expand(transpose(x))",
       "fewer elements move; nothing else needs expand(x)",
       RuleClass::Exact,
       {"Transpose"},
       transpose_of_expand},
      {"transpose-into-gemm",
       "gemm(transpose(a), b)",
       "gemm(a, b), transA",
       "likewise for b",
       RuleClass::Exact,
       {"Gemm"},
       transpose_into_gemm},
      {"transpose-into-matmul",
       "matmul(transpose(a), b)",
       "gemm(a, b), transA",
       "where both are matrices; likewise for b",
       RuleClass::Exact,
       {"MatMul"},
       transpose_into_matmul},
      {"product-of-transposes",
       "matmul(transpose(a), transpose(b))",
       "transpose(matmul(b, a))",
       "in batches of matrices: one transpose for two; nothing else needs them",
       RuleClass::Exact,
       {"MatMul"},
       product_of_transposes},
      {"blocks-of-one-pixel",
       "depth_to_space(x, 1)",
       "x",
       "likewise space_to_depth",
       RuleClass::Exact,
       {"DepthToSpace", "SpaceToDepth"},
       blocks_of_one},
      {"depth-and-space-cancel",
       "depth_to_space(space_to_depth(x))",
       "x",
       "with equal blocks and channels in the order DCR; likewise the other way round",
       RuleClass::Exact,
       {"DepthToSpace", "SpaceToDepth"},
       depth_and_space_cancel},
  };
  // clang-format on
}

}  // namespace loopglass::passes::rules
