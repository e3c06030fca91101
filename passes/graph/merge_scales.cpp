#include "passes/graph/merge_scales.h"

#include "core/ops/operation.h"
#include "passes/graph/affine.h"
#include "passes/graph/missed_rewrite.h"
#include "passes/graph/rules/edits.h"

#include <fmt/format.h>
#include <cmath>
#include <numeric>

namespace loopglass::passes {

namespace {

using graph::Node;
using graph::NodeId;
using graph::ValueId;

// Nodes in a row, the last one first, and what they make of the data of the first.
struct Row {
  std::vector<Node> steps;
  Affine affine;
  ValueId data;
};

// Operations an element: a batch normalisation has four, one of them a quotient.
int cost_of(const Node& step) { return step.op->family == ops::Family::Elementwise ? 1 : 4; }

// The numbers in the type's elements. NOT_FINITE, and UNDERFLOW where one would vanish.
std::expected<Tensor, MissedRewrite> rounded(const std::vector<double>& numbers, TensorType type) {
  Tensor tensor(std::move(type));
  std::optional<MissedRewrite> refusal;
  visit_type(tensor.data_type(), [&]<class T>(T) {
    const auto elements = tensor.as<T>();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      elements[i] = static_cast<T>(numbers[i]);
      const auto element = static_cast<double>(elements[i]);
      if (!std::isfinite(element))
        refusal = MissedRewrite{"NOT_FINITE", "a factor or an offset is too large for its type"};
      else if (element == 0 && numbers[i] != 0)
        refusal = MissedRewrite{"UNDERFLOW", "a factor or an offset is too small for its type"};
    }
  });
  if (refusal) return std::unexpected(*std::move(refusal));
  return tensor;
}

// One number for all, or one an index of the axis, beside data of this rank.
Shape shape_beside(const Affine& affine, std::size_t rank) {
  Shape shape(affine.axis ? rank - *affine.axis : 0, 1);
  if (affine.axis) shape[0] = std::ssize(affine.factors);
  return shape;
}

class MergingRows {
 public:
  MergingRows(const graph::Graph& graph, pass::Report& report)
      : graph_(graph), edits_(graph), report_(report) {}

  Result<graph::Graph> operator()() && {
    for (const graph::NodePtr& each : graph_.nodes()) {
      if (!report_.may_rewrite()) break;
      if (report_.cancellation.requested()) return fail(Code::Cancelled, "merging was cancelled");
      const Node node = edits_.graph().node(each->id);
      const auto affine = affine_of(node);
      if (!affine || goes_on(node)) continue;
      // Further up another row may end, whose numbers lie along another axis.
      for (std::optional<Row> row = row_to(node, *affine); row; row = row_before(*row)) {
        const int cost = cost_after(*row);
        if (cost == 0 || cost >= cost_before(*row)) continue;  // x * 1 + 0 is an affair of simplify
        if (const auto refusal = replace(*row)) report_not_folded(report_, node, *refusal);
      }
    }
    return std::move(edits_).finish();
  }

 private:
  std::optional<Affine> affine_of(const Node& node) const {
    auto affine = elementwise_affine(edits_.graph(), node);
    return affine ? affine : normalising_affine(edits_.graph(), node);
  }

  // Whether all that reads the result is one more step of the row.
  bool goes_on(const Node& node) const {
    if (is_needed_elsewhere(node)) return false;
    const ValueId result = node.outputs.front();
    const Node& next = edits_.graph().node(edits_.users(result).front());
    const auto outer = affine_of(next);
    return outer && next.inputs[outer->operand] == result && composed(*outer, *affine_of(node));
  }
  bool is_needed_elsewhere(const Node& node) const {
    const ValueId result = node.outputs.front();
    return edits_.users(result).size() != 1 || edits_.graph().is_output(result);
  }

  Row row_to(const Node& last, const Affine& affine) const {
    Row row{{last}, affine, last.inputs[affine.operand]};
    for (;;) {
      const auto& value = edits_.graph().value(row.data);
      if (!value.producer) return row;
      const Node& before = edits_.graph().node(value.producer);
      const auto inner = affine_of(before);
      if (!inner || !goes_on(before)) return row;
      const auto both = composed(row.affine, *inner);
      if (!both) return row;
      row.affine = *both;
      row.data = before.inputs[inner->operand];
      row.steps.push_back(before);
    }
  }

  // The row that makes the data of this one, where it could have been one with it but for the rest.
  std::optional<Row> row_before(const Row& row) const {
    const auto& value = edits_.graph().value(row.data);
    if (!value.producer || !report_.may_rewrite()) return std::nullopt;
    const Node before = edits_.graph().node(value.producer);
    const auto affine = affine_of(before);
    if (!affine || is_needed_elsewhere(before)) return std::nullopt;
    return row_to(before, *affine);
  }

  static int cost_before(const Row& row) {
    return std::accumulate(row.steps.begin(), row.steps.end(), 0,
                           [](int sum, const Node& step) { return sum + cost_of(step); });
  }
  static int cost_after(const Row& row) {
    return (row.affine.only_shifts() ? 0 : 1) + (row.affine.only_scales() ? 0 : 1);
  }

  std::optional<MissedRewrite> replace(const Row& row) {
    const Node& last = row.steps.front();
    const TensorType type = edits_.graph().value(last.outputs.front()).type;
    const TensorType numbers{type.type, shape_beside(row.affine, type.shape.size())};
    const auto factors = rounded(row.affine.factors, numbers);
    const auto offsets = rounded(row.affine.offsets, numbers);
    if (!factors) return factors.error();
    if (!offsets) return offsets.error();
    Origin origin;
    pass::Rewrite rewrite{"merge-scales", {}, {}, {}};
    for (auto step = row.steps.rbegin(); step != row.steps.rend(); ++step) {
      origin.merge(step->origin);
      rewrite.consumed.push_back(step->id.value);
    }
    ValueId result = row.data;
    const auto add = [&](ops::Operation operation, const char* role, const Tensor& numbers) {
      const ValueId constant = edits_.add_constant(last.name + role, numbers);
      const NodeId made =
          edits_.add_node(last.name, std::move(operation), {result, constant}, 1, origin);
      rewrite.made.push_back(made.value);
      result = edits_.graph().output(made);
      return made;
    };
    NodeId made;
    if (!row.affine.only_shifts()) made = add(ops::operation_named("Mul", {}), "_factor", *factors);
    if (!row.affine.only_scales()) made = add(ops::addition(), "_offset", *offsets);
    const std::string name = edits_.graph().value(last.outputs.front()).name;
    edits_.replace_uses(last.outputs.front(), result);
    for (const Node& step : row.steps) edits_.remove_node(step.id);
    edits_.rename(made, last.name);
    edits_.rename(result, name);
    rewrite.detail =
        fmt::format("{} in a row that end with {} become {}", row.steps.size(), last.name,
                    rewrite.made.size() == 2 ? "a product and a sum" : "one");
    report_.rewrite(std::move(rewrite));
    return std::nullopt;
  }

  const graph::Graph& graph_;
  rules::Edits edits_;
  pass::Report& report_;
};

}  // namespace

Result<graph::Graph> merge_scales(const graph::Graph& graph, pass::Report& report) {
  return MergingRows(graph, report)();
}

pass::Words merge_scales_words() {
  return {{pass::Word::Kind::Rule, "merge-scales",
           "Operators in a row that scale and shift by constants become one product and one sum."},
          {pass::Word::Kind::Remark, "NOT_FINITE",
           "The factor or the offset that would come of it is infinite or no number."},
          {pass::Word::Kind::Remark, "UNDERFLOW",
           "The factor or the offset that would come of it is too small for its type."}};
}

}  // namespace loopglass::passes
