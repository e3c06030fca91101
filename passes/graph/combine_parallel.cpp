#include "passes/graph/combine_parallel.h"

#include "core/ops/operation.h"
#include "core/ops/weighted_sum.h"
#include "core/tensor/rearrange.h"
#include "passes/graph/horizontal_cost.h"
#include "passes/graph/node_sum.h"
#include "passes/graph/rules/edits.h"

#include <fmt/format.h>

#include <deque>
#include <map>

namespace loopglass::passes {

namespace {

using graph::Node;
using graph::NodeId;
using graph::ValueId;
using ops::WeightedSum;

// A weighted sum, with the Add of its bias where it cannot take one itself.
struct Branch {
  Node product;
  std::optional<Node> addition;
  WeightedSum sum;
  Tensor weights, bias;  // bias: a number an output channel, or undefined

  const Node& last() const { return addition ? *addition : product; }
  Origin origin() const {
    Origin merged = product.origin;
    if (addition) merged.merge(addition->origin);
    return merged;
  }
};

std::string joined_name(std::span<const Branch> branches) {
  std::string name = branches.front().product.name;
  for (const Branch& branch : branches.subspan(1)) name += "+" + branch.product.name;
  constexpr std::size_t longest = 80;
  if (name.size() > longest)
    name = fmt::format("{}+{}", branches.front().product.name, branches.size() - 1);
  return name;
}

class Combining {
 public:
  Combining(const graph::Graph& graph, pass::Report& report, const Machine& machine)
      : graph_(graph), edits_(graph), report_(report), machine_(machine) {}

  Result<graph::Graph> operator()() && {
    std::deque<ValueId> shared(graph_.inputs().begin(), graph_.inputs().end());
    for (const graph::NodePtr& node : graph_.nodes())
      shared.insert(shared.end(), node->outputs.begin(), node->outputs.end());
    // Slices made on the way may be shared in their turn.
    while (!shared.empty() && report_.may_rewrite()) {
      if (report_.cancellation.requested()) return fail(Code::Cancelled, "combining was cancelled");
      visit(shared.front(), shared);
      shared.pop_front();
    }
    return std::move(edits_).finish();
  }

 private:
  void visit(ValueId input, std::deque<ValueId>& shared) {
    std::map<std::string, std::vector<Branch>> alike;  // by what must be equal
    std::vector<NodeId> users = edits_.users(input);
    std::ranges::sort(users, {}, &NodeId::value);
    users.erase(std::ranges::unique(users).begin(), users.end());
    if (users.size() < 2) return;
    for (const NodeId user : users)
      if (auto branch = branch_of(edits_.graph().node(user), input)) {
        const std::string key = kind(*branch);
        alike[key].push_back(*std::move(branch));
      }
    for (const auto& [key, branches] : alike)
      if (branches.size() > 1 && report_.may_rewrite()) consider(input, branches, shared);
  }

  Tensor constant(const Node& node, std::size_t operand) const {
    if (operand >= node.inputs.size() || !node.inputs[operand]) return {};
    return edits_.graph().value(node.inputs[operand]).constant;
  }

  // The node as a branch of `input`, if it is one whose weights can be laid beside others.
  std::optional<Branch> branch_of(const Node& node, ValueId input) const {
    const auto sum = weighted_sum_of(edits_.graph(), node);
    if (!sum || node.inputs[WeightedSum::data] != input || sum->groups != 1) return std::nullopt;
    Branch branch{node, {}, *sum, constant(node, WeightedSum::weights), {}};
    if (!branch.weights.defined()) return std::nullopt;
    if (sum->takes_bias) {
      if (WeightedSum::bias >= node.inputs.size() || !node.inputs[WeightedSum::bias]) return branch;
      branch.bias = by_channel(constant(node, WeightedSum::bias), sum->output_channels());
      return branch.bias.defined() ? std::optional(branch) : std::nullopt;
    }
    add_bias(branch);
    return branch;
  }

  // The Add of a number a channel that alone reads the product.
  void add_bias(Branch& branch) const {
    const ValueId result = branch.product.outputs.front();
    if (edits_.users(result).size() != 1 || edits_.graph().is_output(result)) return;
    const Node& user = edits_.graph().node(edits_.users(result).front());
    if (user.op != ops::addition().op ||
        edits_.graph().value(user.outputs.front()).type != edits_.graph().value(result).type)
      return;
    const std::size_t other = user.inputs[0] == result ? 1 : 0;
    branch.bias = by_channel(constant(user, other), branch.sum.output_channels());
    if (branch.bias.defined()) branch.addition = user;
  }

  // The constant as one number a channel along its last axis; undefined where it is something else.
  static Tensor by_channel(const Tensor& constant, std::int64_t channels) {
    if (!constant.defined() || constant.shape().empty() || constant.shape().back() != channels ||
        constant.elements() != channels)
      return {};
    return constant.reshaped({channels});
  }

  // What branches must agree in: everything but the number of output channels.
  static std::string kind(const Branch& branch) {
    Shape weights = branch.weights.shape();
    weights[branch.sum.output_first ? 0 : 1] = -1;
    std::string key = fmt::format("{} {} {} {}", branch.product.op->name, to_string(weights),
                                  name(branch.weights.data_type()), branch.bias.defined());
    for (const auto& [name, value] : branch.product.attributes.all())
      key += fmt::format(" {}={}", name, ops::to_string(value));
    return key;
  }

  void consider(ValueId input, std::span<const Branch> branches, std::deque<ValueId>& shared) {
    std::vector<HorizontalBranch> shapes;
    for (const Branch& branch : branches)
      shapes.push_back({branch.sum.output_channels(),
                        edits_.graph().value(branch.last().outputs.front()).type.bytes(),
                        copied_anyway(branch)});
    const Branch& first = branches.front();
    const std::int64_t channels = std::max<std::int64_t>(first.sum.output_channels(), 1);
    const TensorType& result = edits_.graph().value(first.product.outputs.front()).type;
    const auto cost =
        horizontal_cost({.rows = element_count(result.shape) / channels,
                         .inner = first.weights.elements() / channels,
                         .input_bytes = edits_.graph().value(input).type.bytes(),
                         .element_bytes = std::max(4, static_cast<int>(byte_size(result.type))),
                         .columns_in_vectors = first.sum.result_axis + 1 == result.shape.size()},
                        shapes, machine_);
    const bool pays = cost.pays();
    std::string text = fmt::format(
        "{} and {} other{} of the same input {}: of their time {:.1f} % would be gained and {:.1f} "
        "% "
        "lost.",
        first.product.name, branches.size() - 1, branches.size() == 2 ? "" : "s",
        pays ? "become one operator" : "stay apart", 100 * cost.gained / cost.time,
        100 * cost.lost / cost.time);
    report_.remark({pays ? pass::RemarkKind::Applied : pass::RemarkKind::Missed,
                    pays ? "COMBINED" : "NOT_WORTH_IT", first.product.name, cost.numbers(),
                    std::move(text)});
    if (pays) combine(input, branches, shared);
  }

  // Whether all that reads the result moves its elements about, and can take them from a wider
  // tensor.
  bool copied_anyway(const Branch& branch) const {
    const ValueId result = branch.last().outputs.front();
    return !edits_.graph().is_output(result) &&
           std::ranges::all_of(edits_.users(result), [&](NodeId user) {
             return edits_.graph().node(user).op->family == ops::Family::Movement;
           });
  }

  void combine(ValueId input, std::span<const Branch> branches, std::deque<ValueId>& shared) {
    const Branch& first = branches.front();
    Origin origin;
    std::vector<const Tensor*> weights, biases;
    pass::Rewrite rewrite{"side-by-side", {}, {}, {}};
    for (const Branch& branch : branches) {
      origin.merge(branch.origin());
      weights.push_back(&branch.weights);
      biases.push_back(&branch.bias);
      rewrite.consumed.push_back(branch.product.id.value);
      if (branch.addition) rewrite.consumed.push_back(branch.addition->id.value);
    }
    const std::string name = joined_name(branches);
    std::vector<ValueId> inputs{
        input, edits_.add_constant(name + "_weight",
                                   concatenated(weights, first.sum.output_first ? 0 : 1))};
    const bool biased = first.bias.defined();
    const ValueId bias =
        biased ? edits_.add_constant(name + "_bias", concatenated(biases, 0)) : ValueId{};
    if (biased && first.sum.takes_bias) inputs.push_back(bias);
    NodeId wide =
        edits_.add_node(name, {first.product.op, first.product.attributes}, inputs, 1, origin);
    rewrite.made.push_back(wide.value);
    if (biased && !first.sum.takes_bias) {
      wide = edits_.add_node(name + "_bias", ops::addition(), {edits_.graph().output(wide), bias},
                             1, origin);
      rewrite.made.push_back(wide.value);
    }
    slice(edits_.graph().output(wide), branches, rewrite, shared);
    rewrite.detail = fmt::format("{} operators of {} become {}", branches.size(),
                                 edits_.graph().value(input).name, name);
    report_.rewrite(std::move(rewrite));
  }

  // Each branch's channels of the wide result in place of its own.
  void slice(ValueId wide, std::span<const Branch> branches, pass::Rewrite& rewrite,
             std::deque<ValueId>& shared) {
    std::int64_t begin = 0;
    for (const Branch& branch : branches) {
      const Node& last = branch.last();
      const std::int64_t end = begin + branch.sum.output_channels();
      const NodeId part =
          edits_.add_node(branch.product.name, ops::slice_of(branch.sum.result_axis, begin, end),
                          {wide}, 1, branch.origin());
      rewrite.made.push_back(part.value);
      shared.push_back(edits_.graph().output(part));
      const std::string result = edits_.graph().value(last.outputs.front()).name;
      edits_.replace_uses(last.outputs.front(), edits_.graph().output(part));
      if (branch.addition) edits_.remove_node(branch.addition->id);
      edits_.remove_node(branch.product.id);
      edits_.rename(part, branch.product.name);
      edits_.rename(edits_.graph().output(part), result);
      begin = end;
    }
  }

  const graph::Graph& graph_;
  rules::Edits edits_;
  pass::Report& report_;
  const Machine& machine_;
};

}  // namespace

Result<graph::Graph> combine_parallel(const graph::Graph& graph, pass::Report& report,
                                      const Machine& machine) {
  return Combining(graph, report, machine)();
}

pass::Words combine_parallel_words() {
  return {{pass::Word::Kind::Remark, "COMBINED",
           "Products or convolutions of one operand have become one with their weights side by "
           "side, which is estimated to be faster."},
          {pass::Word::Kind::Remark, "NOT_WORTH_IT",
           "Products or convolutions of one operand stay apart: as one they are not estimated to "
           "be faster."},
          {pass::Word::Kind::Rule, "side-by-side",
           "Products or convolutions that read the same operand become one with their weights side "
           "by side."}};
}

}  // namespace loopglass::passes
