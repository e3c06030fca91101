#include "passes/graph/pair_products.h"

#include "core/ops/packed_products.h"
#include "passes/graph/missed_rewrite.h"
#include "passes/graph/rules/edits.h"

#include <fmt/format.h>

#include <algorithm>

namespace loopglass::passes {

namespace {

using graph::Node;
using graph::NodeId;
using graph::ValueId;

std::optional<MissedRewrite> refusal_of(const rules::Edits& edits, const Node& node,
                                        const ops::PackedWeights& at) {
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

// Four bytes a word where the machine multiplies them and they are bytes with a sign; three terms
// at least, which two words of pairs would take.
ops::Packing packing_of(const ops::BytesOfWeights& weights, const Shape& shape,
                        const ops::PackedWeights& at, const Machine& machine) {
  const bool has_sums = at.is_convolution || shape.size() == 2;
  const bool pays = machine.dot_terms >= ops::terms_of_word(ops::Packing::Quads) &&
                    shape[at.terms(shape.size())] > ops::terms_of_word(ops::Packing::Pairs);
  return has_sums && pays && weights.are_signed_bytes() ? ops::Packing::Quads : ops::Packing::Pairs;
}

void pack(rules::Edits& edits, const Node& node, const ops::PackedWeights& at,
          const Machine& machine, pass::Report& report) {
  const Tensor constant = edits.constant(node.inputs[at.weights]),
               zero = edits.constant(rules::Edits::input(node, at.zero_point));
  const ops::BytesOfWeights weights(constant, zero.defined() ? &zero : nullptr, at);
  const ops::Packing packing = packing_of(weights, constant.shape(), at, machine);
  const bool in_pairs = packing == ops::Packing::Pairs;
  const std::string name = edits.graph().value(node.inputs[at.weights]).name;
  std::vector<ValueId> inputs = node.inputs;
  inputs[at.weights] =
      edits.add_constant(name + (in_pairs ? "_pairs" : "_quads"), weights.packed(packing));
  if (!in_pairs) {
    inputs.resize(std::max(inputs.size(), at.zero_point + 1));
    inputs[at.zero_point] = edits.add_constant(name + "_sums", weights.sums());
  } else if (at.zero_point < inputs.size()) {
    inputs.erase(inputs.begin() + static_cast<std::ptrdiff_t>(at.zero_point));
  }
  const NodeId made =
      edits.add_node(node.name, {ops::packed_form_of(*node.op, packing), node.attributes},
                     std::move(inputs), 1, node.origin);
  edits.put_in_place(node, edits.graph().output(made));
  const std::int64_t terms = constant.shape()[at.terms(constant.shape().size())];
  report.remark(
      {pass::RemarkKind::Applied,
       in_pairs ? "PAIRED" : "IN_FOURS",
       node.name,
       {{"terms", static_cast<double>(terms)}},
       fmt::format("{} multiplies {} of its {} {} at a time.", node.name, in_pairs ? "two" : "four",
                   terms, at.is_convolution ? "channels" : "terms")});
  report.rewrite(
      {"pair-products",
       {node.id.value},
       {made.value},
       fmt::format("{} takes its weights in {}", node.name, in_pairs ? "pairs" : "fours")});
}

}  // namespace

Result<graph::Graph> pair_products(const graph::Graph& graph, pass::Report& report,
                                   const Machine& machine) {
  rules::Edits edits(graph);
  for (const graph::NodePtr& node : graph.nodes()) {
    if (!report.may_rewrite()) break;
    if (report.cancellation.requested()) return fail(Code::Cancelled, "pairing was cancelled");
    const auto at = ops::packed_weights_of(*node->op);
    if (!at) continue;
    const Node now = edits.graph().node(node->id);
    if (const auto refusal = refusal_of(edits, now, *at))
      report.remark({pass::RemarkKind::Missed, refusal->code, now.name, refusal->numbers,
                     fmt::format("{} multiplies one by one: {}.", now.name, refusal->text)});
    else pack(edits, now, *at, machine, report);
  }
  return std::move(edits).finish();
}

pass::Words pair_products_words() {
  return {{pass::Word::Kind::Remark, "PAIRED",
           "The weights lie in pairs, two of whose products one instruction adds up."},
          {pass::Word::Kind::Remark, "IN_FOURS",
           "The weights lie in fours, as bytes with a sign, whose products one instruction of this "
           "machine adds up; the sums of the weights take away what the data's zero point adds."},
          {pass::Word::Kind::Remark, "WEIGHTS_NOT_CONSTANT",
           "Products stay single: the weights would have to be paired in every run."},
          {pass::Word::Kind::Remark, "VECTOR",
           "Products stay single: the weights are a vector, which has no lanes to fill with sums."},
          {pass::Word::Kind::Remark, "SINGLE_TERMS",
           "Products stay single: each sum has one channel, and nothing to pair."}};
}

}  // namespace loopglass::passes
