// Reductions and pooling: over nothing, over one element, of reductions, of what only moves
// elements.
#include "passes/graph/rules/families.h"
#include "passes/graph/rules/movement.h"

#include <algorithm>

namespace loopglass::passes::rules {

namespace {

using graph::Node;
using graph::ValueId;
using Replacement = std::optional<ValueId>;
using Names = std::vector<std::string>;

const Names reductions{"ReduceSum",       "ReduceMean",     "ReduceMax", "ReduceMin",
                       "ReduceProd",      "ReduceL1",       "ReduceL2",  "ReduceLogSum",
                       "ReduceLogSumExp", "ReduceSumSquare"};

// --- reading and making reductions ---------------------------------------------------------------

Integers axes_of(const Site& site, const Node& reduction) {
  return ops::reduced_axes(reduction.attributes, site.type(reduction.inputs[0]).shape.size())
      .value();
}

bool keeps_axes(const Node& reduction) { return reduction.attributes.integer("keepdims") != 0; }

ops::Attributes reduction_attributes(const Integers& axes, bool keep) {
  return {
      {"axes", axes}, {"keepdims", std::int64_t{keep}}, {"noop_with_empty_axes", std::int64_t{0}}};
}

// How many elements become one.
std::int64_t reduced_elements(const Shape& from, const Integers& axes) {
  return element_count(permuted(from, axes));
}

bool contains(const Integers& axes, std::size_t axis) {
  return std::ranges::find(axes, static_cast<std::int64_t>(axis)) != axes.end();
}

// --- over nothing and over one element -----------------------------------------------------------

bool reduces_unit_axes(const Site& site) {
  return !ops::reduces_nothing(site.node().attributes) &&
         reduced_elements(site.type(site.input(0)).shape, axes_of(site, site.node())) == 1;
}

// Means and logarithms of integers are taken in float64, which does not hold every 64-bit integer.
bool is_itself_alone(const Site& site) {
  const DataType type = site.result_type().type;
  if (site.is("ReduceMean")) return type != DataType::Int64 && type != DataType::UInt64;
  return !site.is("ReduceLogSumExp") || is_float(type);
}

Replacement reduce_over_unit_axes(Site& site) {
  if (!reduces_unit_axes(site) || !is_itself_alone(site)) return {};
  return reshaped(site, site.input(0), site.result_type().shape);
}

Replacement norm_over_unit_axes(Site& site) {
  if (!reduces_unit_axes(site)) return {};
  return reshaped(site, site.make("Abs", {site.input(0)}), site.result_type().shape);
}

Replacement square_over_unit_axes(Site& site) {
  if (!reduces_unit_axes(site)) return {};
  return reshaped(site, site.make("Mul", {site.input(0), site.input(0)}), site.result_type().shape);
}

Replacement unit_axes_left_out(Site& site) {
  if (!keeps_axes(site.node())) return {};
  const Integers axes = axes_of(site, site.node());
  const Shape& from = site.type(site.input(0)).shape;
  Integers long_axes;
  for (const std::int64_t axis : axes)
    if (from[static_cast<std::size_t>(axis)] != 1) long_axes.push_back(axis);
  if (long_axes.empty() || long_axes == axes) return {};
  return site.make(site.node().op->name, {site.input(0)}, reduction_attributes(long_axes, true));
}

Replacement explicit_axes(Site& site) {
  const Integers axes = axes_of(site, site.node());
  const ops::Attributes attributes = reduction_attributes(axes, keeps_axes(site.node()));
  if (axes.empty() || site.node().attributes == attributes) return {};
  return site.make(site.node().op->name, {site.input(0)}, attributes);
}

Replacement pool_of_single_pixel(Site& site) {
  if (site.type(site.input(0)) != site.result_type()) return {};
  return site.input(0);
}

bool all_are(const ops::Attributes& attributes, const char* name, std::int64_t wanted) {
  return !attributes.has(name) ||
         std::ranges::all_of(attributes.integers(name),
                             [&](std::int64_t value) { return value == wanted; });
}

Replacement pool_of_one_element(Site& site) {
  const ops::Attributes& attributes = site.node().attributes;
  if (!all_are(attributes, "kernel_shape", 1) || !all_are(attributes, "strides", 1) ||
      !all_are(attributes, "pads", 0) || site.type(site.input(0)) != site.result_type())
    return {};
  return site.input(0);
}

Replacement arg_over_unit_axis(Site& site) {
  const Shape& from = site.type(site.input(0)).shape;
  if (from[ops::axis_of(site.node().attributes, from.size())] != 1) return {};
  // As an Expand, which many zeros do not take memory for.
  return site.make("Expand", {site.make_uniform(DataType::Int64, 0)},
                   {{"shape", site.result_type().shape}});
}

Replacement cumulative_sum_over_unit_axis(Site& site) {
  const ops::Attributes& attributes = site.node().attributes;
  const Shape& from = site.result_type().shape;
  if (attributes.integer("exclusive") != 0 || from[ops::axis_of(attributes, from.size())] != 1)
    return {};
  return site.input(0);
}

// Softmax and Hardmax give 1 and LogSoftmax 0, if x - x is 0.
Replacement softmax_over_unit_axis(Site& site) {
  const TensorType type = site.result_type();
  const ops::Attributes& attributes = site.node().attributes;
  if (!type.shape.empty()) {
    const std::size_t axis = ops::axis_of(attributes, type.shape.size());
    const bool flatten = attributes.has("flatten") && attributes.integer("flatten") != 0;
    const auto first = type.shape.begin() + static_cast<std::ptrdiff_t>(axis);
    if (element_count(Shape(first, flatten ? type.shape.end() : first + 1)) != 1) return {};
  }
  const double value = site.is("LogSoftmax") ? 0 : 1;
  return site.make("Expand", {site.make_uniform(type.type, value)}, {{"shape", type.shape}});
}

// --- of reductions -------------------------------------------------------------------------------

// Both reductions as one.
Replacement merged(Site& site) {
  const Node& outer = site.node();
  const Node* inner = site.producer(site.input(0), outer.op->name);
  if (inner == nullptr || !site.only_user(site.input(0)) ||
      ops::reduces_nothing(outer.attributes) || ops::reduces_nothing(inner->attributes))
    return {};
  Integers axes = axes_of(site, *inner), left;  // left: the axes of x that the outer one sees
  for (std::size_t d = 0; d < site.type(inner->inputs[0]).shape.size(); ++d)
    if (keeps_axes(*inner) || !contains(axes, d)) left.push_back(static_cast<std::int64_t>(d));
  for (const std::int64_t axis : axes_of(site, outer)) {
    const std::int64_t original = left[static_cast<std::size_t>(axis)];
    if (!contains(axes, static_cast<std::size_t>(original))) axes.push_back(original);
  }
  std::ranges::sort(axes);
  const bool keep = keeps_axes(*inner) && keeps_axes(outer);
  return reshaped(site,
                  site.make(outer.op->name, {inner->inputs[0]}, reduction_attributes(axes, keep)),
                  site.result_type().shape);
}

Replacement reduction_of_reduction(Site& site) { return merged(site); }

Replacement integer_sum_of_sum(Site& site) {
  return is_integer(site.result_type().type) ? merged(site) : std::nullopt;
}

Replacement float_sum_of_sum(Site& site) {
  return is_float(site.result_type().type) ? merged(site) : std::nullopt;
}

// A reduction under a Reshape that takes away, or puts back, the very axes that were reduced.
Replacement with_other_keepdims(Site& site, bool keep) {
  const Node* inner = site.producer(site.input(0));
  if (inner == nullptr || !inner->attributes.has("keepdims") || keeps_axes(*inner) == keep ||
      !site.only_user(site.input(0)))
    return {};
  ops::Attributes attributes = inner->attributes;
  attributes.set("keepdims", std::int64_t{keep});
  if (site.type_of(inner->op->name, inner->inputs, attributes) != site.result_type()) return {};
  return site.make(inner->op->name, inner->inputs, attributes);
}

// --- of what only moves elements -----------------------------------------------------------------

// Whether the order in which elements are combined cannot be seen in the result.
bool order_is_free(const Site& site) {
  if (site.is("ReduceMax") || site.is("ReduceMin")) return true;
  return is_integer(site.result_type().type) && (site.is("ReduceSum") || site.is("ReduceProd") ||
                                                 site.is("ReduceL1") || site.is("ReduceSumSquare"));
}

// `reorders`: whether it must, or must not, combine elements in another order than before.
Replacement reduce_of_transpose(Site& site, bool reorders) {
  const Node& reduction = site.node();
  const Node* transpose = site.producer(site.input(0), "Transpose");
  if (transpose == nullptr || ops::reduces_nothing(reduction.attributes)) return {};
  const Integers permutation = permutation_of(site, *transpose), axes = axes_of(site, reduction);
  Integers reduced = permuted(permutation, axes), left;
  for (std::size_t d = 0; d < permutation.size(); ++d)
    if (!contains(axes, d)) left.push_back(permutation[d]);
  if (reorders == (std::ranges::is_sorted(reduced) || order_is_free(site))) return {};
  const bool keep = keeps_axes(reduction), left_in_order = std::ranges::is_sorted(left);
  if (!site.only_user(site.input(0)) && (keep || !left_in_order)) return {};
  std::ranges::sort(reduced);
  const ValueId result =
      site.make(reduction.op->name, {transpose->inputs[0]}, reduction_attributes(reduced, keep));
  if (left_in_order) return reshaped(site, result, site.result_type().shape);
  if (keep) return transposed(site, result, permutation);
  // The axes that are left, counted among themselves.
  Integers sorted = left;
  std::ranges::sort(sorted);
  for (std::int64_t& axis : left) axis = std::ranges::find(sorted, axis) - sorted.begin();
  return transposed(site, result, left);
}

Replacement reduce_of_expand(Site& site) {
  const Node& reduction = site.node();
  const ValueId wide = site.input(0);
  const Node* expand = site.producer(wide, "Expand");
  if (expand == nullptr || ops::reduces_nothing(reduction.attributes) || !site.only_user(wide) ||
      elements(site, expand->inputs[0]) >= elements(site, wide))
    return {};
  const ValueId narrow = expand->inputs[0];
  const Integers axes = axes_of(site, reduction);
  const Shape aligned = with_leading_ones(site.type(narrow).shape, site.type(wide).shape.size());
  return expanded(site,
                  site.make(reduction.op->name, {reshaped(site, narrow, aligned)},
                            reduction_attributes(axes, keeps_axes(reduction))),
                  site.result_type().shape);
}

Replacement float_mean_of_expand(Site& site) {
  return is_float(site.result_type().type) ? reduce_of_expand(site) : std::nullopt;
}

}  // namespace

RuleTable reduction_rules() {
  using enum RuleClass;
  // clang-format off: a table, two lines a rule
  return {
      {"reduce-over-unit-axes",
       "sum(x, axes of extent 1)",
       "reshape(x)",
       "one element is its own sum, product, maximum, minimum, mean and log-sum-exp",
       Exact,
       {"ReduceSum", "ReduceProd", "ReduceMax", "ReduceMin", "ReduceMean", "ReduceLogSumExp"},
       reduce_over_unit_axes},
      {"norm-over-unit-axes",
       "sum of |x| over axes of extent 1",
       "|reshape(x)|",
       "",
       Exact,
       {"ReduceL1"},
       norm_over_unit_axes},
      {"square-over-unit-axes",
       "sum of x * x over axes of extent 1",
       "reshape(x * x)",
       "",
       Exact,
       {"ReduceSumSquare"},
       square_over_unit_axes},
      {"unit-axes-left-out", "reduce(x, axes)", "reduce(x, axes longer than 1)",
       "where the axes stay with extent 1 anyway", Exact, reductions, unit_axes_left_out},
      {"explicit-axes", "reduce(x, -1)", "reduce(x, 2)",
       "axes named and counted from the front, so that equal reductions look equal", Exact,
       reductions, explicit_axes},
      {"pool-of-single-pixel",
       "global_average_pool(x)",
       "x",
       "where each image is one pixel",
       Exact,
       {"GlobalAveragePool", "GlobalMaxPool"},
       pool_of_single_pixel},
      {"pool-of-one-element",
       "max_pool(x, 1x1)",
       "x",
       "where windows of one element step by one",
       Exact,
       {"MaxPool", "AveragePool"},
       pool_of_one_element},
      {"arg-over-unit-axis",
       "argmax(x, axis of extent 1)",
       "0",
       "there is one place to choose",
       Exact,
       {"ArgMax", "ArgMin"},
       arg_over_unit_axis},
      {"cumulative-sum-over-unit-axis",
       "cumsum(x, axis of extent 1)",
       "x",
       "",
       Exact,
       {"CumSum"},
       cumulative_sum_over_unit_axis},
      {"softmax-over-unit-axis",
       "softmax(x, axis of extent 1)",
       "1",
       "log_softmax is 0; an infinite element would give a result that is not a number",
       FiniteOnly,
       {"Softmax", "LogSoftmax", "Hardmax"},
       softmax_over_unit_axis},
      {"maximum-of-maximum",
       "max(max(x, a), b)",
       "max(x, a and b)",
       "likewise the minimum; nothing else needs the inner one",
       Exact,
       {"ReduceMax", "ReduceMin"},
       reduction_of_reduction},
      {"integer-sum-of-sum",
       "sum(sum(x, a), b)",
       "sum(x, a and b)",
       "integers wrap around alike in any order; likewise the product",
       Exact,
       {"ReduceSum", "ReduceProd"},
       integer_sum_of_sum},
      {"sum-of-sum",
       "sum(sum(x, a), b)",
       "sum(x, a and b)",
       "floats are added in another order; likewise product, mean, absolute sum and log-sum-exp",
       Reassociating,
       {"ReduceSum", "ReduceProd", "ReduceMean", "ReduceL1", "ReduceLogSumExp"},
       float_sum_of_sum},
      {"squeeze-of-reduction", "squeeze(reduce(x, keep axes))", "reduce(x, drop axes)",
       "where the very axes that were reduced are dropped", Exact, regroupings(),
       [](Site& site) { return with_other_keepdims(site, false); }},
      {"unsqueeze-of-reduction", "unsqueeze(reduce(x, drop axes))", "reduce(x, keep axes)",
       "where the very axes that were reduced are put back", Exact, regroupings(),
       [](Site& site) { return with_other_keepdims(site, true); }},
      {"reduce-of-transpose", "reduce(transpose(x))", "transpose(reduce(x, other axes))",
       "fewer elements move, and those that are combined keep their order", Exact, reductions,
       [](Site& site) { return reduce_of_transpose(site, false); }},
      {"reordered-reduce-of-transpose", "reduce(transpose(x))", "transpose(reduce(x, other axes))",
       "fewer elements move; floats are combined in another order", Reassociating, reductions,
       [](Site& site) { return reduce_of_transpose(site, true); }},
      {"maximum-of-expand",
       "max(expand(x))",
       "expand(max(x))",
       "the greatest of copies is one of them; likewise the minimum; nothing else needs expand(x)",
       Exact,
       {"ReduceMax", "ReduceMin"},
       reduce_of_expand},
      {"mean-of-expand",
       "mean(expand(x))",
       "expand(mean(x))",
       "the mean of copies is one of them, but for rounding; nothing else needs expand(x)",
       Reassociating,
       {"ReduceMean"},
       float_mean_of_expand},
  };
  // clang-format on
}

}  // namespace loopglass::passes::rules
