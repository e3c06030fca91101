#include "passes/graph/winograd.h"

#include "core/ops/convolve.h"
#include "core/ops/layout_forms.h"
#include "core/ops/winograd.h"
#include "passes/graph/missed_rewrite.h"
#include "passes/graph/rules/edits.h"
#include "passes/graph/winograd_cost.h"
#include "passes/graph/winograd_error.h"

#include <fmt/format.h>

#include <algorithm>

namespace loopglass::passes {

namespace {

using graph::Node;
using graph::NodeId;
using graph::ValueId;
using ops::winograd::kernel;

const Layout& plain_layout() {
  static const Layout layout = Layout::of("NCHW");
  return layout;
}
// In which vectors of channels lie side by side, for whoever comes from pixels side by side.
const Layout& channels_last() {
  static const Layout layout = Layout::of("NHWC");
  return layout;
}

// A convolution, in whatever layouts.
struct Found {
  ops::Convolution convolution;
  Tensor weights;  // K x C x height x width
  Layout image, result;
};

class Filtering {
 public:
  Filtering(const graph::Graph& graph, pass::Report& report, const Machine& machine,
            std::int64_t tile)
      : graph_(graph), edits_(graph), report_(report), machine_(machine), tile_(tile) {}

  Result<graph::Graph> operator()() && {
    for (const graph::NodePtr& each : graph_.nodes()) {
      if (!report_.may_rewrite()) break;
      if (report_.cancellation.requested())
        return fail(Code::Cancelled, "minimal filtering was cancelled");
      // As it is now: what it reads may have been filtered before.
      const Node node = edits_.graph().node(each->id);
      const bool is_convolution =
          node.op == convolution_.op || node.op == ops::layout_form_of(*convolution_.op);
      if (!is_convolution || !has_three_taps(node)) continue;
      if (const auto refusal = refusal_of(node)) {
        report_.remark({pass::RemarkKind::Missed, refusal->code, node.name, refusal->numbers,
                        fmt::format("{} stays a convolution: {}.", node.name, refusal->text)});
        continue;
      }
      consider(node, TRY(found(node)));
    }
    return std::move(edits_).finish();
  }

 private:
  Layout layout_of(const Node& node, const char* attribute, const Layout& plain) const {
    return node.op == convolution_.op ? plain : Layout::of(node.attributes.string(attribute));
  }
  Layout weights_layout(const Node& node) const {
    return layout_of(node, "weights_layout", Layout::of("OIHW"));
  }
  const TensorType& type(ValueId id) const { return edits_.graph().value(id).type; }

  // Along both of two axes; other convolutions have nothing to do with this.
  bool has_three_taps(const Node& node) const {
    const auto shape = weights_layout(node).logical(type(node.inputs[1]).shape);
    return shape && shape->size() == 4 && (*shape)[2] == kernel && (*shape)[3] == kernel;
  }

  std::optional<MissedRewrite> refusal_of(const Node& node) const {
    for (const auto& [attribute, code] :
         {std::pair{"strides", "STRIDES"}, std::pair{"dilations", "DILATIONS"}})
      if (node.attributes.has(attribute) &&
          std::ranges::any_of(node.attributes.integers(attribute),
                              [](std::int64_t each) { return each != 1; }))
        return MissedRewrite{code,
                             fmt::format("it has {}, and tiles are of neighbours", attribute)};
    if (node.attributes.integer("group") != 1)
      return MissedRewrite{"GROUPS", "its channels are in groups, too few of them for a product"};
    if (type(node.inputs[0]).type != DataType::Float32)
      return MissedRewrite{"ELEMENT_TYPE", fmt::format("it is of {}, and filtering is for float32",
                                                       name(type(node.inputs[0]).type))};
    if (!edits_.graph().value(node.inputs[1]).is_constant())
      return MissedRewrite{
          "WEIGHTS_NOT_CONSTANT",
          "its weights, which have to be transformed, are known only when it runs"};
    return std::nullopt;
  }

  Result<Found> found(const Node& node) const {
    const Layout image = layout_of(node, "layout", plain_layout()),
                 result = layout_of(node, "result_layout", plain_layout());
    const Tensor& weights = edits_.graph().value(node.inputs[1]).constant;
    const Layout arranged = weights_layout(node);
    Tensor plain = arranged.is_plain() ? weights : TRY(arranged.restored(weights));
    const TensorType x{DataType::Float32, TRY(image.logical(type(node.inputs[0]).shape))};
    return Found{TRY(ops::convolution_of(x, plain.type(), node.attributes)), plain, image, result};
  }

  void consider(const Node& node, const Found& found) {
    const WinogradCost cost = winograd_cost(found.convolution, tile_, machine_);
    auto numbers = cost.numbers();
    if (!cost.pays()) {
      report_.remark(
          {pass::RemarkKind::Missed, "NOT_WORTH_IT", node.name, std::move(numbers),
           fmt::format("{} stays a convolution: in tiles of {} x {} it would take {:.2f} "
                       "times as long.",
                       node.name, tile_, tile_, cost.by_filtering() / cost.convolution)});
      return;
    }
    const WinogradError error = winograd_error(found.weights, tile_);
    numbers.emplace_back("convolution_error", error.convolution);
    numbers.emplace_back("filtering_error", error.filtering);
    report_.remark(
        {pass::RemarkKind::Applied, "FILTERED", node.name, std::move(numbers),
         fmt::format("{} is computed in tiles of {} x {}, in {:.2f} of its time as estimated; on "
                     "random numbers it then errs by {:.1e} of its results, and did by {:.1e}.",
                     node.name, tile_, tile_, cost.by_filtering() / cost.convolution,
                     error.filtering, error.convolution)});
    filter(node, found);
  }

  void filter(const Node& node, const Found& found) {
    rewrite_ = {fmt::format("winograd-f{}", tile_), {node.id.value}, {}, {}};
    const auto wanted = [](const Layout& layout) {
      return layout.is_plain() ? channels_last() : layout;
    };
    const ops::Window& window = found.convolution.window;
    const auto in_vectors = [&](ValueId image) {
      return found.image.is_plain()
                 ? add(node, "_NHWC", ops::layout_move(found.image, channels_last()), {image})
                 : image;
    };
    const ValueId tiles = add(
        node, "_tiles",
        ops::winograd_input(
            tile_, {window[0].pad_begin, window[1].pad_begin, window[0].pad_end, window[1].pad_end},
            wanted(found.image)),
        {in_vectors(node.inputs[0])});
    const ValueId weights =
        edits_.add_constant(edits_.graph().value(node.inputs[1]).name + "_winograd",
                            ops::winograd::transformed_weights(found.weights, tile_));
    const ValueId products =
        add(node, "_products", ops::operation_named("MatMul", {}), {tiles, weights});
    std::vector<ValueId> operands{products};
    if (node.inputs.size() > 2 && node.inputs[2]) operands.push_back(node.inputs[2]);
    ValueId image =
        add(node, "",
            ops::winograd_output(tile_, window[0].output, window[1].output, wanted(found.result)),
            operands);
    if (found.result.is_plain())
      image = add(node, "_NCHW", ops::layout_move(channels_last(), found.result), {image});
    const std::string result = edits_.graph().value(node.outputs[0]).name;
    const NodeId last{rewrite_.made.back()};
    edits_.replace_uses(node.outputs[0], image);
    edits_.remove_node(node.id);
    edits_.rename(last, node.name);
    edits_.rename(image, result);
    rewrite_.detail = fmt::format("{} becomes transforms around {} products", node.name,
                                  (tile_ + kernel - 1) * (tile_ + kernel - 1));
    report_.rewrite(std::move(rewrite_));
  }

  // One of the operators that the convolution becomes; its result.
  ValueId add(const Node& node, const std::string& suffix, ops::Operation operation,
              std::vector<ValueId> inputs) {
    const NodeId made = edits_.add_node(node.name + suffix, std::move(operation), std::move(inputs),
                                        1, node.origin);
    rewrite_.made.push_back(made.value);
    return edits_.graph().output(made);
  }

  const graph::Graph& graph_;
  rules::Edits edits_;
  pass::Report& report_;
  const Machine& machine_;
  const std::int64_t tile_;
  const ops::Operation convolution_ = ops::operation_named("Conv", {});
  pass::Rewrite rewrite_;  // that is under way
};

}  // namespace

Result<graph::Graph> winograd_f2(const graph::Graph& graph, pass::Report& report,
                                 const Machine& machine) {
  return Filtering(graph, report, machine, 2)();
}
Result<graph::Graph> winograd_f4(const graph::Graph& graph, pass::Report& report,
                                 const Machine& machine) {
  return Filtering(graph, report, machine, 4)();
}

pass::Words winograd_words() {
  return {{pass::Word::Kind::Remark, "FILTERED",
           "The convolution is computed by Winograd's minimal filtering, which is estimated to be "
           "faster; its error on random numbers stands beside it."},
          {pass::Word::Kind::Remark, "NOT_WORTH_IT",
           "The convolution stays: filtering it is not estimated to be faster."},
          {pass::Word::Kind::Remark, "STRIDES",
           "The convolution stays: filtering is for windows that move by one."},
          {pass::Word::Kind::Remark, "DILATIONS",
           "The convolution stays: filtering is for windows without gaps."},
          {pass::Word::Kind::Remark, "GROUPS",
           "The convolution stays: its channels are in groups, too few of them for a product."},
          {pass::Word::Kind::Remark, "ELEMENT_TYPE",
           "The convolution stays: filtering is for float32."},
          {pass::Word::Kind::Remark, "WEIGHTS_NOT_CONSTANT",
           "The convolution stays: its weights would have to be transformed in every run."}};
}

}  // namespace loopglass::passes
