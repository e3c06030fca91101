// Reshape and its kin become one Reshape with an explicit shape, fall past pointwise operators and
// merge; Expand is left to operators that broadcast by themselves, or falls until it meets one.
#include "passes/graph/rules/families.h"
#include "passes/graph/rules/movement.h"

#include <algorithm>

namespace loopglass::passes::rules {

namespace {

using graph::Node;
using graph::ValueId;
using Replacement = std::optional<ValueId>;

// --- Reshape -------------------------------------------------------------------------------------

Replacement to_reshape(Site& site) {
  return site.make("Reshape", {site.input(0)}, reshape_attributes(site.result_type().shape));
}

Replacement explicit_reshape(Site& site) {
  if (site.node().attributes == reshape_attributes(site.result_type().shape)) return {};
  return to_reshape(site);
}

Replacement reshape_of_reshape(Site& site) {
  const Node* inner = regrouping(site, site.input(0));
  if (inner == nullptr) return {};
  return reshaped(site, inner->inputs[0], site.result_type().shape);
}

Replacement reshape_below_pointwise(Site& site, Company company) {
  const Shape shape = site.result_type().shape;
  // What was reshaped to the result's shape: an operand of another one would broadcast.
  const auto before_reshape = [&](ValueId value) -> Replacement {
    const Node* found = regrouping(site, value);
    if (found == nullptr || site.type(value).shape != shape) return {};
    return found->inputs[0];
  };
  std::optional<Shape> from;
  for (const ValueId operand : site.node().inputs)
    if (const auto unmoved = before_reshape(operand); unmoved && !from)
      from = site.type(*unmoved).shape;
  if (!from) return {};
  const auto unmoved =
      before_move(site,
                  {.undo = [&](ValueId value) -> Replacement {
                     const auto found = before_reshape(value);
                     if (!found || !site.only_user(value) || site.type(*found).shape != *from)
                       return {};
                     return found;
                   },
                   .undo_constant = [&](const Tensor& constant) -> std::optional<Tensor> {
                     if (constant.shape() != shape) return {};
                     return constant.reshaped(*from);
                   },
                   .unmoved = *from},
                  company);
  if (!unmoved) return {};
  return reshaped(site, *unmoved, shape);
}

// --- Expand --------------------------------------------------------------------------------------

Replacement explicit_expand(Site& site) {
  const Shape& shape = site.result_type().shape;
  if (site.node().attributes.integers("shape") == shape) return {};
  return site.make("Expand", {site.input(0)}, {{"shape", shape}});
}

Replacement expand_of_expand(Site& site) {
  const Node* inner = site.producer(site.input(0), "Expand");
  if (inner == nullptr) return {};
  return site.make("Expand", {inner->inputs[0]}, {{"shape", site.result_type().shape}});
}

// What was given leading axes of extent 1 to make this value.
Replacement without_leading_axes(Site& site, ValueId value) {
  const Node* found = value ? regrouping(site, value) : nullptr;
  if (found == nullptr) return {};
  const Shape &from = site.type(found->inputs[0]).shape, &to = site.type(value).shape;
  if (to.size() <= from.size() || with_leading_ones(from, to.size()) != to) return {};
  return found->inputs[0];
}

Replacement expand_of_leading_axes(Site& site) {
  const auto inner = without_leading_axes(site, site.input(0));
  if (!inner) return {};
  return site.make("Expand", {*inner}, {{"shape", site.result_type().shape}});
}

// The node with the first operand for which `narrower` knows a stand-in that gives the same result
// by broadcasting.
Replacement with_narrower_operand(Site& site, const std::function<Replacement(ValueId)>& narrower) {
  const Node& node = site.node();
  for (std::size_t k = 0; k < node.inputs.size(); ++k) {
    const auto stand_in = node.inputs[k] ? narrower(node.inputs[k]) : std::nullopt;
    if (!stand_in) continue;
    std::vector<ValueId> inputs = node.inputs;
    inputs[k] = *stand_in;
    if (site.type_of(node.op->name, inputs, node.attributes) == site.result_type())
      return site.make(node.op->name, inputs, node.attributes);
  }
  return {};
}

Replacement before_expand(Site& site, ValueId value) {
  const Node* found = site.producer(value, "Expand");
  return found ? Replacement(found->inputs[0]) : std::nullopt;
}

Replacement expand_into_pointwise(Site& site) {
  return with_narrower_operand(site, [&](ValueId value) { return before_expand(site, value); });
}

Replacement leading_axes_into_pointwise(Site& site) {
  return with_narrower_operand(site,
                               [&](ValueId value) { return without_leading_axes(site, value); });
}

// MatMul broadcasts the axes before the last two; these must be as they were before the Expand.
Replacement expand_into_product(Site& site) {
  return with_narrower_operand(site, [&](ValueId value) -> Replacement {
    const auto narrow = before_expand(site, value);
    if (!narrow) return {};
    const Shape &from = site.type(*narrow).shape, &to = site.type(value).shape;
    if (from.size() < 2 || !std::equal(from.end() - 2, from.end(), to.end() - 2)) return {};
    return narrow;
  });
}

Replacement expand_below_pointwise(Site& site) {
  const Node& node = site.node();
  std::vector<ValueId> inputs = node.inputs;
  for (ValueId& input : inputs)
    if (input && site.only_user(input)) input = before_expand(site, input).value_or(input);
  if (inputs == node.inputs) return {};
  const auto narrow = site.type_of(node.op->name, inputs, node.attributes);
  const TensorType& wide = site.result_type();
  if (!narrow || element_count(narrow->shape) >= element_count(wide.shape)) return {};
  return expanded(site, site.make(node.op->name, inputs, node.attributes), wide.shape);
}

}  // namespace

RuleTable reshape_rules() {
  const auto below = [](Company company) {
    return [company](Site& site) { return reshape_below_pointwise(site, company); };
  };
  // clang-format off: a table, two lines a rule
  return {
      {"flatten-to-reshape",
       "flatten(x)",
       "reshape(x)",
       "one operator for all that regroups axes",
       RuleClass::Exact,
       {"Flatten"},
       to_reshape},
      {"squeeze-to-reshape",
       "squeeze(x)",
       "reshape(x)",
       "one operator for all that regroups axes",
       RuleClass::Exact,
       {"Squeeze"},
       to_reshape},
      {"unsqueeze-to-reshape",
       "unsqueeze(x)",
       "reshape(x)",
       "one operator for all that regroups axes",
       RuleClass::Exact,
       {"Unsqueeze"},
       to_reshape},
      {"explicit-reshape",
       "reshape(x, [0, -1])",
       "reshape(x, its result's shape)",
       "so that equal reshapes look equal",
       RuleClass::Exact,
       {"Reshape"},
       explicit_reshape},
      {"reshape-of-reshape", "reshape(reshape(x))", "reshape(x)",
       "elements keep their row-major order", RuleClass::Exact, regroupings(), reshape_of_reshape},
      {"reshape-below-unary", "f(reshape(x))", "reshape(f(x))",
       "where f works element by element and nothing else needs reshape(x)", RuleClass::Exact,
       pointwise_operators(), below(Company::Alone)},
      {"reshapes-below-elementwise", "f(reshape(x), reshape(y))", "reshape(f(x, y))",
       "where x and y have one shape, and nothing else needs the reshapes", RuleClass::Exact,
       pointwise_operators(), below(Company::Alike)},
      {"reshape-below-elementwise-with-constant", "f(reshape(x), c)", "reshape(f(x, reshape(c)))",
       "where c is a constant of the reshape's shape", RuleClass::Exact, pointwise_operators(),
       below(Company::Constants)},
      {"explicit-expand",
       "expand(x, [1, n])",
       "expand(x, its result's shape)",
       "so that equal expansions look equal",
       RuleClass::Exact,
       {"Expand"},
       explicit_expand},
      {"expand-of-expand",
       "expand(expand(x))",
       "expand(x)",
       "",
       RuleClass::Exact,
       {"Expand"},
       expand_of_expand},
      {"expand-of-leading-axes",
       "expand(unsqueeze(x, leading axes))",
       "expand(x)",
       "broadcasting puts leading axes in by itself",
       RuleClass::Exact,
       {"Expand"},
       expand_of_leading_axes},
      {"expand-into-elementwise", "f(expand(x), y)", "f(x, y)",
       "where f broadcasts x to the same result", RuleClass::Exact, pointwise_operators(),
       expand_into_pointwise},
      {"leading-axes-into-elementwise", "f(unsqueeze(x, leading axes), y)", "f(x, y)",
       "where f broadcasts x to the same result", RuleClass::Exact, pointwise_operators(),
       leading_axes_into_pointwise},
      {"expand-into-product",
       "matmul(expand(x), y)",
       "matmul(x, y)",
       "where only axes before the last two were expanded: the product broadcasts them",
       RuleClass::Exact,
       {"MatMul"},
       expand_into_product},
      {"expand-below-elementwise", "f(expand(x))", "expand(f(x))",
       "f is computed once for each element of x; nothing else needs expand(x)", RuleClass::Exact,
       pointwise_operators(), expand_below_pointwise},
  };
  // clang-format on
}

}  // namespace loopglass::passes::rules
