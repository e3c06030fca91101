#include "passes/graph/affine_folding.h"

#include "core/ops/operation.h"
#include "core/support/readable_bytes.h"
#include "passes/graph/folded_weights.h"
#include "passes/graph/node_sum.h"
#include "passes/graph/rules/edits.h"

#include <fmt/format.h>

namespace loopglass::passes {

namespace {

using graph::Node;
using graph::ValueId;

// An affine node of the graph.
struct Scaling {
  graph::NodeId node;
  Affine affine;
  std::optional<MissedRewrite> refusal = {};  // why it could not go into the weights before it
};

// A weighted sum and what scales and shifts its result.
struct ScaledSum {
  Node weighted;
  ops::WeightedSum sum;
  Affine affine;            // all steps together
  std::vector<Node> steps;  // last first
};

// Whether it was folded; false without a reason where the neighbour is nothing to fold into.
using Attempt = std::expected<bool, MissedRewrite>;

// The numbers a channel where they differ along `axis` or not at all.
std::expected<Affine, MissedRewrite> by_channel(const Affine& affine, std::size_t axis,
                                                std::int64_t channels) {
  if (affine.axis && *affine.axis != axis)
    return std::unexpected(MissedRewrite{
        "NOT_PER_CHANNEL", "its numbers differ along an axis that is not that of the channels"});
  Affine spread = affine;
  if (!affine.axis) {
    spread.factors.assign(static_cast<std::size_t>(channels), affine.factors.front());
    spread.offsets.assign(static_cast<std::size_t>(channels), affine.offsets.front());
  }
  return spread;
}

class AffineFold {
 public:
  AffineFold(const graph::Graph& graph, pass::Report& report, const AffineFolding& folding)
      : graph_(graph), edits_(graph), report_(report), folding_(folding) {}

  Result<graph::Graph> operator()() && {
    // Producers first: a chain of scales goes link by link into the weights at its head, ...
    for (const graph::NodePtr& node : graph_.nodes()) {
      if (report_.cancellation.requested()) return fail(Code::Cancelled, "folding was cancelled");
      if (!report_.may_rewrite()) break;
      auto affine = folding_.match(edits_.graph(), edits_.graph().node(node->id), report_);
      if (!affine) continue;
      Scaling scaling{node->id, *std::move(affine)};
      if (!fold(scaling, true)) left_.push_back(std::move(scaling));
    }
    // ... and consumers first, into the weights at its end.
    while (!left_.empty() && report_.may_rewrite()) {
      Scaling scaling = std::move(left_.back());
      left_.pop_back();
      if (edits_.graph().find(scaling.node) == nullptr) continue;  // it has gone with another one
      if (fold(scaling, false)) merge_sums();
    }
    return std::move(edits_).finish();
  }

 private:
  // Whether it was folded into the weights of the node that makes its data, or of the one that
  // reads its result. Reports why not, once both have been tried.
  bool fold(Scaling& scaling, bool into_producer) {
    const Node node = edits_.graph().node(scaling.node);
    Attempt attempt =
        into_producer ? try_producer(node, scaling.affine) : try_consumer(node, scaling.affine);
    if (attempt && *attempt) return true;
    if (into_producer) {
      if (!attempt) scaling.refusal = std::move(attempt).error();
      return false;
    }
    const std::optional<MissedRewrite> why = scaling.refusal ? scaling.refusal
                                             : attempt       ? std::nullopt
                                                       : std::optional(std::move(attempt).error());
    if (why) report_not_folded(report_, node, *why);
    else if (folding_.expects_weights)
      report_.remark(
          {pass::RemarkKind::Missed,
           "NO_WEIGHTS_BESIDE",
           node.name,
           {},
           fmt::format("{} neither follows nor precedes a convolution or matrix product.",
                       node.name)});
    return false;
  }

  // The offsets that a MatMul could not take in, and the bias that was added to its result before.
  void merge_sums() {
    while (addition_ && report_.may_rewrite()) {
      const ValueId sum = edits_.graph().output(*std::exchange(addition_, std::nullopt));
      if (edits_.users(sum).size() != 1) return;
      const graph::NodeId user = edits_.users(sum).front();
      auto affine = elementwise_affine(edits_.graph(), edits_.graph().node(user));
      if (!affine) return;
      Scaling scaling{user, *std::move(affine)};
      fold(scaling, true);
    }
  }

  const Node* producer_of(ValueId value) const {
    const graph::NodeId producer = edits_.graph().value(value).producer;
    return producer ? &edits_.graph().node(producer) : nullptr;
  }

  // The sum that makes the node's data, itself or with one more such node between the two.
  std::optional<ScaledSum> scaled_sum(const Node& node, const Affine& affine) const {
    const Node* producer = producer_of(node.inputs[affine.operand]);
    if (producer == nullptr) return std::nullopt;
    if (const auto sum = weighted_sum_of(edits_.graph(), *producer))
      return ScaledSum{*producer, *sum, affine, {node}};
    const auto inner = elementwise_affine(edits_.graph(), *producer);
    const Node* weighted = inner ? producer_of(producer->inputs[inner->operand]) : nullptr;
    const auto sum =
        weighted != nullptr ? weighted_sum_of(edits_.graph(), *weighted) : std::nullopt;
    const auto both = sum ? composed(affine, *inner) : std::nullopt;
    if (!both) return std::nullopt;
    return ScaledSum{*weighted, *sum, *both, {node, *producer}};
  }

  // Whether something else than what comes next needs the node's result.
  bool is_needed_elsewhere(const Node& node) const {
    const ValueId result = node.outputs.front();
    return edits_.users(result).size() != 1 || edits_.graph().is_output(result);
  }

  Attempt try_producer(const Node& node, const Affine& affine) {
    const auto scaled = scaled_sum(node, affine);
    if (!scaled) return false;
    const auto& [weighted, sum, whole, steps] = *scaled;
    const bool shifts = whole.only_shifts();
    if (!sum.takes_bias && shifts && steps.size() == 1) return false;  // it stays the bias
    if (is_needed_elsewhere(weighted) || (steps.size() > 1 && is_needed_elsewhere(steps.back())))
      return std::unexpected(
          MissedRewrite{"INTERMEDIATE_STILL_USED",
                        fmt::format("what {} computes is needed without it, too", weighted.name)});
    const auto channels = by_channel(whole, sum.result_axis, sum.output_channels());
    if (!channels) return std::unexpected(channels.error());
    const auto weights = weights_of(weighted, sum, !shifts, true);
    if (!weights) return std::unexpected(weights.error());
    const auto folded = scale_result(*weights, channels->factors, channels->offsets);
    if (!folded) return std::unexpected(folded.error());
    replace(*scaled, *folded, weighted.inputs[ops::WeightedSum::data], true);
    return true;
  }

  Attempt try_consumer(const Node& node, const Affine& affine) {
    const ValueId result = node.outputs.front();
    const auto& users = edits_.users(result);
    if (users.empty()) return false;
    const Node weighted = edits_.graph().node(users.front());
    const auto sum = weighted_sum_of(edits_.graph(), weighted);
    if (!sum || weighted.inputs[ops::WeightedSum::data] != result) return false;
    const bool offsets = !affine.only_scales();
    if (!sum->takes_bias && affine.only_shifts()) return false;
    if (users.size() != 1 || edits_.graph().is_output(result))
      return std::unexpected(
          MissedRewrite{"INTERMEDIATE_STILL_USED",
                        fmt::format("its result is needed by others than {}, too", weighted.name)});
    if (offsets && !sum->complete)
      return std::unexpected(
          MissedRewrite{"PADDING_NOT_SHIFTED",
                        fmt::format("{} also sums over padding, which the offsets leave at zero",
                                    weighted.name)});
    const auto channels = by_channel(affine, sum->data_axis, sum->input_channels());
    if (!channels) return std::unexpected(channels.error());
    const auto weights = weights_of(weighted, *sum, true, offsets);
    if (!weights) return std::unexpected(weights.error());
    const auto folded = scale_data(*weights, channels->factors, channels->offsets);
    if (!folded) return std::unexpected(folded.error());
    replace({weighted, *sum, affine, {node}}, *folded, node.inputs[affine.operand], false);
    return true;
  }

  // The data of the weights and the bias, as far as the fold needs them.
  std::expected<Weights, MissedRewrite> weights_of(const Node& node, const ops::WeightedSum& sum,
                                                   bool needs_weights, bool needs_bias) const {
    const TensorType& type = edits_.graph().value(node.outputs.front()).type;
    Weights weights{sum, constant(node, ops::WeightedSum::weights),
                    constant(node, ops::WeightedSum::bias)};
    if (needs_weights && !weights.weights.defined())
      return std::unexpected(MissedRewrite{
          "WEIGHTS_NOT_CONSTANT", fmt::format("the weights of {} are not constant", node.name)});
    const bool has_bias =
        ops::WeightedSum::bias < node.inputs.size() && node.inputs[ops::WeightedSum::bias];
    if (needs_bias && has_bias && !weights.bias.defined())
      return std::unexpected(MissedRewrite{
          "BIAS_NOT_CONSTANT", fmt::format("the bias of {} is not constant", node.name)});
    // Without its data the weights still say what type they have.
    if (!weights.weights.defined()) weights.weights = Tensor({type.type, {0}});
    return weights;
  }

  Tensor constant(const Node& node, std::size_t operand) const {
    if (operand >= node.inputs.size() || !node.inputs[operand]) return {};
    return edits_.graph().value(node.inputs[operand]).constant;
  }

  // One weighted sum in place of all these nodes, and an Add after it where it takes no bias.
  void replace(const ScaledSum& old, const FoldedWeights& folded, ValueId data,
               bool into_producer) {
    const Node &weighted = old.weighted, &affine = old.steps.front();
    pass::Rewrite rewrite{into_producer ? folding_.into_producer : folding_.into_consumer,
                          {weighted.id.value},
                          {},
                          {}};
    Origin origin = weighted.origin;
    for (auto step = old.steps.rbegin(); step != old.steps.rend(); ++step) {
      origin.merge(step->origin);
      rewrite.consumed.push_back(step->id.value);
    }
    std::vector<ValueId> inputs = weighted.inputs;
    ops::Attributes attributes = weighted.attributes;
    inputs[ops::WeightedSum::data] = data;
    if (folded.weights.defined())
      inputs[ops::WeightedSum::weights] =
          edits_.add_constant(weighted.name + "_folded_weight", folded.weights);
    if (folded.bias.defined() && old.sum.takes_bias) {
      inputs.resize(ops::WeightedSum::bias + 1);
      inputs[ops::WeightedSum::bias] =
          edits_.add_constant(weighted.name + "_folded_bias", folded.bias);
      attributes = ops::with_plain_bias(*weighted.op, std::move(attributes));
    }
    const graph::NodeId product =
        edits_.add_node(weighted.name, {weighted.op, std::move(attributes)}, inputs, 1, origin);
    graph::NodeId made = product;
    rewrite.made.push_back(product.value);
    if (folded.bias.defined() && !old.sum.takes_bias) {
      const ValueId bias = edits_.add_constant(affine.name + "_folded_bias", folded.bias);
      made = edits_.add_node(affine.name, ops::addition(), {edits_.graph().output(product), bias},
                             1, origin);
      rewrite.made.push_back(made.value);
    }
    const TensorType& saved = edits_.graph().value(affine.outputs.front()).type;
    rewrite.detail = fmt::format("{} goes into the weights of {}, which saves a pass over {}",
                                 affine.name, weighted.name, readable_bytes(saved.bytes()));
    substitute(old, product, made, into_producer);
    report_.rewrite(std::move(rewrite));
    addition_.reset();
    if (made == product) return;
    addition_ = made;
    if (auto left = folding_.match(edits_.graph(), edits_.graph().node(made), report_))
      left_.push_back({made, *std::move(left)});
  }

  // The old nodes go, and the new ones take over their names.
  void substitute(const ScaledSum& old, graph::NodeId product, graph::NodeId made,
                  bool into_producer) {
    const Node &weighted = old.weighted, &affine = old.steps.front();
    const ValueId last = (into_producer ? affine : weighted).outputs.front();
    const std::string result = edits_.graph().value(last).name;
    edits_.replace_uses(last, edits_.graph().output(made));
    if (!into_producer) edits_.remove_node(weighted.id);
    for (const Node& step : old.steps) edits_.remove_node(step.id);
    if (into_producer) edits_.remove_node(weighted.id);
    edits_.rename(product, weighted.name);
    if (made != product) {
      edits_.rename(made, affine.name);
      edits_.rename(edits_.graph().output(product), weighted.name);
    }
    edits_.rename(edits_.graph().output(made), result);
  }

  const graph::Graph& graph_;
  rules::Edits edits_;
  pass::Report& report_;
  const AffineFolding& folding_;
  std::vector<Scaling> left_;              // what is still to go into weights after it
  std::optional<graph::NodeId> addition_;  // that the last rewrite made
};

}  // namespace

Result<graph::Graph> fold_affine(const graph::Graph& graph, pass::Report& report,
                                 const AffineFolding& folding) {
  return AffineFold(graph, report, folding)();
}

pass::Words affine_folding_words() {
  return {
      {pass::Word::Kind::Remark, "INTERMEDIATE_STILL_USED",
       "It cannot become part of the weights, for the result in between is read by others, too."},
      {pass::Word::Kind::Remark, "PADDING_NOT_SHIFTED",
       "It cannot become part of the weights behind it: these also see padding, which the offsets "
       "leave at zero."},
      {pass::Word::Kind::Remark, "WEIGHTS_NOT_CONSTANT",
       "The weights that would take it in are known only when the network runs."},
      {pass::Word::Kind::Remark, "BIAS_NOT_CONSTANT",
       "The bias that would take it in is known only when the network runs."},
      {pass::Word::Kind::Remark, "NOT_PER_CHANNEL",
       "Its numbers differ along an axis that is not that of the channels, so that no weights can "
       "take them in."},
      {pass::Word::Kind::Remark, "NO_WEIGHTS_BESIDE",
       "No convolution or product stands beside it that could take it in."},
      {pass::Word::Kind::Remark, "NOT_FINITE",
       "The weights or the bias that would come of it are infinite or no numbers."},
      {pass::Word::Kind::Remark, "UNDERFLOW",
       "The weights that would come of it are too small for their type."}};
}

}  // namespace loopglass::passes
