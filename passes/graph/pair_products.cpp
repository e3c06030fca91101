#include "passes/graph/pair_products.h"

#include "core/ops/paired_products.h"
#include "passes/graph/missed_rewrite.h"
#include "passes/graph/rules/edits.h"

#include <fmt/format.h>

namespace loopglass::passes {

namespace {

using graph::Node;
using graph::NodeId;
using graph::ValueId;

std::optional<MissedRewrite> refusal_of(const rules::Edits& edits, const Node& node,
                                        const ops::PairedWeights& at) {
  const ValueId zero = rules::Edits::input(node, at.zero_point);
  const Tensor weights = edits.constant(node.inputs[at.weights]);
  if (!weights.defined() || (zero && !edits.constant(zero).defined()))
    return MissedRewrite{"WEIGHTS_NOT_CONSTANT",
                         "its weights, or their zero points, are known only when it runs"};
  const Shape& shape = weights.shape();
  if (shape.size() < 2)
    return MissedRewrite{"VECTOR",
                         "its weights are a vector, which has no lanes to fill with sums"};
  if (shape[at.terms(shape.size())] < 2)
    return MissedRewrite{"SINGLE_TERMS",
                         "each of its sums has one term a tap, and nothing to pair"};
  return std::nullopt;
}

void pair(rules::Edits& edits, const Node& node, const ops::PairedWeights& at,
          pass::Report& report) {
  const Tensor weights = edits.constant(node.inputs[at.weights]),
               zero = edits.constant(rules::Edits::input(node, at.zero_point));
  const std::int64_t terms = weights.shape()[at.terms(weights.shape().size())];
  std::vector<ValueId> inputs = node.inputs;
  inputs[at.weights] =
      edits.add_constant(edits.graph().value(node.inputs[at.weights]).name + "_pairs",
                         ops::in_pairs(weights, zero.defined() ? &zero : nullptr, at));
  if (at.zero_point < inputs.size())
    inputs.erase(inputs.begin() + static_cast<std::ptrdiff_t>(at.zero_point));
  const NodeId made = edits.add_node(node.name, {ops::paired_form_of(*node.op), node.attributes},
                                     inputs, 1, node.origin);
  edits.put_in_place(node, edits.graph().output(made));
  report.remark({pass::RemarkKind::Applied,
                 "PAIRED",
                 node.name,
                 {{"terms", static_cast<double>(terms)}},
                 fmt::format("{} multiplies two of its {} {} at a time.", node.name, terms,
                             at.is_convolution ? "channels" : "terms")});
  report.rewrite({"pair-products",
                  {node.id.value},
                  {made.value},
                  fmt::format("{} takes its weights in pairs", node.name)});
}

}  // namespace

Result<graph::Graph> pair_products(const graph::Graph& graph, pass::Report& report) {
  rules::Edits edits(graph);
  for (const graph::NodePtr& node : graph.nodes()) {
    if (!report.may_rewrite()) break;
    if (report.cancellation.requested()) return fail(Code::Cancelled, "pairing was cancelled");
    const auto at = ops::paired_weights_of(*node->op);
    if (!at) continue;
    const Node now = edits.graph().node(node->id);
    if (const auto refusal = refusal_of(edits, now, *at))
      report.remark({pass::RemarkKind::Missed, refusal->code, now.name, refusal->numbers,
                     fmt::format("{} multiplies one by one: {}.", now.name, refusal->text)});
    else pair(edits, now, *at, report);
  }
  return std::move(edits).finish();
}

pass::Words pair_products_words() {
  return {{pass::Word::Kind::Remark, "PAIRED",
           "The weights lie in pairs, two of whose products one instruction adds up."},
          {pass::Word::Kind::Remark, "WEIGHTS_NOT_CONSTANT",
           "Products stay single: the weights would have to be paired in every run."},
          {pass::Word::Kind::Remark, "VECTOR",
           "Products stay single: the weights are a vector, which has no lanes to fill with sums."},
          {pass::Word::Kind::Remark, "SINGLE_TERMS",
           "Products stay single: each sum has one channel, and nothing to pair."}};
}

}  // namespace loopglass::passes
