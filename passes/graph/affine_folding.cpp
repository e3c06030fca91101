#include "passes/graph/affine_folding.h"

#include "passes/graph/folded_weights.h"
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
  std::optional<Refusal> refusal = {};  // why it could not go into the weights before it
};

// Whether it was folded; false without a reason where the neighbour is nothing to fold into.
using Attempt = std::expected<bool, Refusal>;

std::optional<ops::WeightedSum> sum_of(const graph::GraphBuilder& graph, const Node& node) {
  if (node.op->family != ops::Family::Convolution && node.op->family != ops::Family::MatrixProduct)
    return std::nullopt;
  std::vector<const TensorType*> types;
  for (const ValueId input : node.inputs)
    types.push_back(input ? &graph.value(input).type : nullptr);
  return ops::weighted_sum_of(*node.op, types, node.attributes);
}

// The numbers a channel where they differ along `axis` or not at all.
std::expected<Affine, Refusal> by_channel(const Affine& affine, std::size_t axis,
                                          std::int64_t channels) {
  if (affine.axis && *affine.axis != axis)
    return std::unexpected(Refusal{
        "NOT_PER_CHANNEL", "its numbers differ along an axis that is not that of the channels"});
  Affine spread = affine;
  if (!affine.axis) {
    spread.factors.assign(static_cast<std::size_t>(channels), affine.factors.front());
    spread.offsets.assign(static_cast<std::size_t>(channels), affine.offsets.front());
  }
  return spread;
}

bool only_offsets(const Affine& affine) {
  return std::ranges::all_of(affine.factors, [](double factor) { return factor == 1; });
}

class Folding {
 public:
  Folding(const graph::Graph& graph, pass::Report& report, const AffineFolding& folding)
      : graph_(graph), edits_(graph), report_(report), folding_(folding) {}

  Result<graph::Graph> operator()() && {
    std::vector<Scaling> left;
    // Producers first: a chain of scales goes link by link into the weights at its head, ...
    for (const graph::NodePtr& node : graph_.nodes()) {
      if (report_.cancellation.requested()) return fail(Code::Cancelled, "folding was cancelled");
      if (!report_.may_rewrite()) break;
      auto affine = folding_.match(edits_.graph(), edits_.graph().node(node->id), report_);
      if (!affine) continue;
      Scaling scaling{node->id, *std::move(affine)};
      if (!fold(scaling, true)) left.push_back(std::move(scaling));
    }
    // ... and consumers first, into the weights at its end.
    for (auto scaling = left.rbegin(); scaling != left.rend() && report_.may_rewrite(); ++scaling)
      fold(*scaling, false);
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
    const std::optional<Refusal> why = scaling.refusal ? scaling.refusal
                                       : attempt       ? std::nullopt
                                                       : std::optional(std::move(attempt).error());
    if (why)
      report_not_folded(report_, node, *why);
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

  Attempt try_producer(const Node& node, const Affine& affine) {
    const ValueId data = node.inputs[affine.operand];
    const graph::NodeId producer = edits_.graph().value(data).producer;
    if (!producer) return false;
    const Node weighted = edits_.graph().node(producer);
    const auto sum = sum_of(edits_.graph(), weighted);
    if (!sum || (!sum->takes_bias && only_offsets(affine))) return false;
    if (edits_.users(data).size() != 1 || edits_.graph().is_output(data))
      return std::unexpected(
          Refusal{"INTERMEDIATE_STILL_USED",
                  fmt::format("what {} computes is needed without it, too", weighted.name)});
    const auto channels = by_channel(affine, sum->result_axis, sum->output_channels());
    if (!channels) return std::unexpected(channels.error());
    const auto weights = weights_of(weighted, *sum, !only_offsets(affine), true);
    if (!weights) return std::unexpected(weights.error());
    const auto folded = scale_result(*weights, channels->factors, channels->offsets);
    if (!folded) return std::unexpected(folded.error());
    replace(weighted, node, *sum, *folded, weighted.inputs[ops::WeightedSum::data], true);
    return true;
  }

  Attempt try_consumer(const Node& node, const Affine& affine) {
    const ValueId result = node.outputs.front();
    const auto& users = edits_.users(result);
    if (users.empty()) return false;
    const Node weighted = edits_.graph().node(users.front());
    const auto sum = sum_of(edits_.graph(), weighted);
    if (!sum || weighted.inputs[ops::WeightedSum::data] != result) return false;
    const bool offsets =
        !std::ranges::all_of(affine.offsets, [](double offset) { return offset == 0; });
    if (!sum->takes_bias && only_offsets(affine)) return false;
    if (users.size() != 1 || edits_.graph().is_output(result))
      return std::unexpected(
          Refusal{"INTERMEDIATE_STILL_USED",
                  fmt::format("its result is needed by others than {}, too", weighted.name)});
    if (offsets && !sum->complete)
      return std::unexpected(
          Refusal{"PADDING_NOT_SHIFTED",
                  fmt::format("{} also sums over padding, which the offsets leave at zero",
                              weighted.name)});
    const auto channels = by_channel(affine, sum->data_axis, sum->input_channels());
    if (!channels) return std::unexpected(channels.error());
    const auto weights = weights_of(weighted, *sum, true, offsets);
    if (!weights) return std::unexpected(weights.error());
    const auto folded = scale_data(*weights, channels->factors, channels->offsets);
    if (!folded) return std::unexpected(folded.error());
    replace(weighted, node, *sum, *folded, node.inputs[affine.operand], false);
    return true;
  }

  // The data of the weights and the bias, as far as the fold needs them.
  std::expected<Weights, Refusal> weights_of(const Node& node, const ops::WeightedSum& sum,
                                             bool needs_weights, bool needs_bias) const {
    const TensorType& type = edits_.graph().value(node.outputs.front()).type;
    if (type.type != DataType::Float32 && type.type != DataType::Float64)
      return std::unexpected(Refusal{
          "ELEMENT_TYPE",
          fmt::format("{} is too coarse for weights to be rounded twice", name(type.type))});
    Weights weights{sum, constant(node, ops::WeightedSum::weights),
                    constant(node, ops::WeightedSum::bias)};
    if (needs_weights && !weights.weights.defined())
      return std::unexpected(Refusal{"WEIGHTS_NOT_CONSTANT",
                                     fmt::format("the weights of {} are not constant", node.name)});
    const bool has_bias =
        ops::WeightedSum::bias < node.inputs.size() && node.inputs[ops::WeightedSum::bias];
    if (needs_bias && has_bias && !weights.bias.defined())
      return std::unexpected(
          Refusal{"BIAS_NOT_CONSTANT", fmt::format("the bias of {} is not constant", node.name)});
    // Without its data the weights still say what type they have.
    if (!weights.weights.defined()) weights.weights = Tensor({type.type, {0}});
    return weights;
  }

  Tensor constant(const Node& node, std::size_t operand) const {
    if (operand >= node.inputs.size() || !node.inputs[operand]) return {};
    return edits_.graph().value(node.inputs[operand]).constant;
  }

  // One weighted sum in place of the two nodes, and an Add after it where it takes no bias.
  void replace(const Node& weighted, const Node& affine, const ops::WeightedSum& sum,
               const FoldedWeights& folded, ValueId data, bool into_producer) {
    Origin origin = weighted.origin;
    origin.merge(affine.origin);
    const Node& last = into_producer ? affine : weighted;
    std::vector<ValueId> inputs = weighted.inputs;
    ops::Attributes attributes = weighted.attributes;
    inputs[ops::WeightedSum::data] = data;
    if (folded.weights.defined())
      inputs[ops::WeightedSum::weights] =
          edits_.add_constant(weighted.name + "_folded_weight", folded.weights);
    if (folded.bias.defined() && sum.takes_bias) {
      inputs.resize(ops::WeightedSum::bias + 1);
      inputs[ops::WeightedSum::bias] =
          edits_.add_constant(weighted.name + "_folded_bias", folded.bias);
      attributes = ops::with_plain_bias(*weighted.op, std::move(attributes));
    }
    const graph::NodeId product =
        edits_.add_node(weighted.name, weighted.op->name, inputs, attributes, 1, origin);
    pass::Rewrite rewrite{into_producer ? folding_.into_producer : folding_.into_consumer,
                          {weighted.id.value, affine.id.value},
                          {product.value},
                          {}};
    graph::NodeId made = product;
    if (folded.bias.defined() && !sum.takes_bias) {
      const ValueId bias = edits_.add_constant(affine.name + "_folded_bias", folded.bias);
      made = edits_.add_node(affine.name, "Add", {edits_.graph().output(product), bias}, {}, 1,
                             origin);
      rewrite.made.push_back(made.value);
    }
    const TensorType& saved = edits_.graph().value(affine.outputs.front()).type;
    rewrite.detail = fmt::format("{} goes into the weights of {}, which saves a pass over {} bytes",
                                 affine.name, weighted.name, saved.bytes());
    substitute(weighted, affine, last, product, made);
    report_.rewrite(std::move(rewrite));
  }

  // The old nodes go, and the new ones take over their names.
  void substitute(const Node& weighted, const Node& affine, const Node& last, graph::NodeId product,
                  graph::NodeId made) {
    const std::string result = edits_.graph().value(last.outputs.front()).name;
    edits_.replace_uses(last.outputs.front(), edits_.graph().output(made));
    const Node& first = last.id == affine.id ? weighted : affine;
    edits_.remove_node(last.id);
    edits_.remove_node(first.id);
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
};

}  // namespace

Result<graph::Graph> fold_affine(const graph::Graph& graph, pass::Report& report,
                                 const AffineFolding& folding) {
  return Folding(graph, report, folding)();
}

}  // namespace loopglass::passes
