#include "passes/graph/fold_padding.h"

#include "core/ops/padded_window.h"
#include "core/ops/padding.h"
#include "core/ops/result_range.h"
#include "passes/graph/missed_rewrite.h"
#include "passes/graph/rules/edits.h"

#include <fmt/format.h>
#include <expected>

namespace loopglass::passes {

namespace {

using graph::Node;
using graph::ValueId;
using ops::PaddedWindow;

std::vector<const TensorType*> input_types(const graph::GraphBuilder& graph, const Node& node) {
  std::vector<const TensorType*> types;
  for (const ValueId input : node.inputs)
    types.push_back(input ? &graph.value(input).type : nullptr);
  return types;
}

// Whether no result can differ between `value` around the data and the window's own padding.
bool stands_for(const PaddedWindow& window, double value, const graph::GraphBuilder& graph,
                ValueId data) {
  if (value == window.padding) return true;
  // Where every window has an element of the data, which is at least zero, the maximum is, too.
  const graph::Value& padded = graph.value(data);
  if (window.padding >= 0 || value > 0 || !padded.producer) return false;
  const Node& producer = graph.node(padded.producer);
  return producer.outputs.front() == data && ops::never_below_zero(*producer.op, padded.type.type);
}

// The window's pads with the margins of the Pad before them.
std::expected<ops::Integers, MissedRewrite> joined_pads(const PaddedWindow& window,
                                                        std::span<const ops::Margin> margins) {
  ops::Integers begins, ends;
  for (std::size_t d = 0; d < margins.size(); ++d) {
    if (margins[d].begin < 0 || margins[d].end < 0)
      return std::unexpected(MissedRewrite{"CROPS", "it takes elements away"});
    if (d < ops::first_spatial) {
      if (margins[d] != ops::Margin{})
        return std::unexpected(
            MissedRewrite{"NOT_SPATIAL", "it pads an axis that no window slides along"});
      continue;
    }
    const ops::WindowAxis& axis = window.window[d - ops::first_spatial];
    begins.push_back(axis.pad_begin + margins[d].begin);
    ends.push_back(axis.pad_end + margins[d].end);
  }
  begins.insert(begins.end(), ends.begin(), ends.end());
  return begins;
}

class Folding {
 public:
  Folding(const graph::Graph& graph, pass::Report& report)
      : graph_(graph), edits_(graph), report_(report) {}

  Result<graph::Graph> operator()() && {
    // Consumers first, so that of several Pads in a row each finds the window operator next to it.
    for (auto node = graph_.nodes().rbegin();
         node != graph_.nodes().rend() && report_.may_rewrite(); ++node) {
      const Node pad = edits_.graph().node((*node)->id);
      const auto padding = padding_of(pad);
      if (!padding) continue;
      if (const auto refusal = fold(pad, *padding)) report_not_folded(report_, pad, *refusal);
    }
    return std::move(edits_).finish();
  }

 private:
  std::optional<ops::Padding> padding_of(const Node& node) const {
    if (node.op->family != ops::Family::Movement) return std::nullopt;
    const std::size_t rank = edits_.graph().value(node.outputs.front()).type.shape.size();
    return ops::padding_of(*node.op, node.attributes, rank);
  }

  // Why it was not folded; nothing too where no operator with windows follows.
  std::optional<MissedRewrite> fold(const Node& pad, const ops::Padding& padding) {
    const ValueId result = pad.outputs.front();
    const auto& users = edits_.users(result);
    if (users.empty()) return std::nullopt;
    const Node sliding = edits_.graph().node(users.front());
    const auto types = input_types(edits_.graph(), sliding);
    const auto window =
        sliding.inputs.front() == result
            ? ops::padded_window_of(*sliding.op, types, sliding.attributes, sliding.outputs.size())
            : std::nullopt;
    if (!window) return std::nullopt;
    if (users.size() != 1 || edits_.graph().is_output(result))
      return MissedRewrite{
          "INTERMEDIATE_STILL_USED",
          fmt::format("its result is needed by others than {}, too", sliding.name)};
    if (!padding.value)
      return MissedRewrite{"NOT_CONSTANT_PADDING",
                           fmt::format("it pads by {}, not with one number", padding.mode)};
    if (!window->counts)
      return MissedRewrite{
          "PADS_NOT_COUNTED",
          fmt::format("{} does not count its own pads like elements of the data", sliding.name)};
    if (!stands_for(*window, *padding.value, edits_.graph(), pad.inputs.front()))
      return MissedRewrite{"PADDING_DIFFERS",
                           fmt::format("{} pads with {}, and may not come to the same with {}",
                                       sliding.name, window->padding, *padding.value),
                           {{"value", *padding.value}, {"padding", window->padding}}};
    auto pads = joined_pads(*window, padding.margins);
    if (!pads) return std::move(pads).error();
    ops::Attributes attributes = ops::with_pads(*sliding.op, sliding.attributes, *std::move(pads));
    if (*padding.value != window->padding)
      if (auto refusal = window_of_padding(pad, sliding, attributes)) return refusal;
    return replace(pad, sliding, std::move(attributes));
  }

  // Of a window that sees no data, the result is the padding itself.
  std::optional<MissedRewrite> window_of_padding(const Node& pad, const Node& sliding,
                                                 const ops::Attributes& attributes) const {
    auto types = input_types(edits_.graph(), sliding);
    types.front() = &edits_.graph().value(pad.inputs.front()).type;
    const auto joined =
        ops::padded_window_of(*sliding.op, types, attributes, sliding.outputs.size());
    if (!joined) return std::nullopt;  // infer says why
    for (const ops::WindowAxis& axis : joined->window)
      if (const auto alone = axis.window_without_elements())
        return MissedRewrite{
            "WINDOW_OF_PADDING",
            fmt::format("window {} of {} sees nothing but padding, which must keep its "
                        "value",
                        *alone, sliding.name),
            {{"window", static_cast<double>(*alone)}}};
    return std::nullopt;
  }

  std::optional<MissedRewrite> replace(const Node& pad, const Node& sliding,
                                       ops::Attributes attributes) {
    std::vector<ValueId> inputs = sliding.inputs;
    inputs.front() = pad.inputs.front();
    auto types = input_types(edits_.graph(), sliding);
    types.front() = &edits_.graph().value(inputs.front()).type;
    const auto inferred = ops::infer(*sliding.op, types, attributes, sliding.outputs.size());
    if (!inferred) return MissedRewrite{"WINDOWS_REFUSED", inferred.error().what};
    const graph::Value& result = edits_.graph().value(sliding.outputs.front());
    // With ceil_mode, a window that begins in the Pad's end would be dropped.
    if (inferred->front() != result.type)
      return MissedRewrite{
          "WINDOWS_DROPPED",
          fmt::format("{} would have a result of {}", sliding.name, to_string(inferred->front()))};
    Origin origin = sliding.origin;
    origin.merge(pad.origin);
    const std::int64_t bytes = edits_.graph().value(pad.outputs.front()).type.bytes();
    const std::string name = result.name;
    const graph::NodeId made = edits_.add_node(sliding.name, {sliding.op, std::move(attributes)},
                                               std::move(inputs), 1, origin);
    edits_.replace_uses(sliding.outputs.front(), edits_.graph().output(made));
    edits_.remove_node(sliding.id);
    edits_.remove_node(pad.id);
    edits_.rename(made, sliding.name);
    edits_.rename(edits_.graph().output(made), name);
    report_.rewrite({"pad-into-window",
                     {pad.id.value, sliding.id.value},
                     {made.value},
                     fmt::format("{} becomes pads of {}, which saves {} bytes written and read",
                                 pad.name, sliding.name, bytes)});
    return std::nullopt;
  }

  const graph::Graph& graph_;
  rules::Edits edits_;
  pass::Report& report_;
};

}  // namespace

Result<graph::Graph> fold_padding(const graph::Graph& graph, pass::Report& report) {
  return Folding(graph, report)();
}

pass::Words fold_padding_words() {
  return {{pass::Word::Kind::Rule, "pad-into-window",
           "A Pad becomes part of the pads of the convolution or pooling that reads it."},
          {pass::Word::Kind::Remark, "CROPS",
           "The Pad takes elements away, which pads of a window cannot."},
          {pass::Word::Kind::Remark, "NOT_SPATIAL",
           "The Pad pads an axis along which no window slides."},
          {pass::Word::Kind::Remark, "INTERMEDIATE_STILL_USED",
           "The Pad stays, for what it makes is read by others than the window, too."},
          {pass::Word::Kind::Remark, "NOT_CONSTANT_PADDING",
           "The Pad repeats or mirrors elements instead of writing one number."},
          {pass::Word::Kind::Remark, "PADS_NOT_COUNTED",
           "The pooling counts elements of the data, but not of its own pads: its averages would "
           "change."},
          {pass::Word::Kind::Remark, "PADDING_DIFFERS",
           "The Pad writes another number than the window would."},
          {pass::Word::Kind::Remark, "WINDOW_OF_PADDING",
           "A window would see nothing but padding, whose value then is the result."},
          {pass::Word::Kind::Remark, "WINDOWS_REFUSED",
           "The operator with windows does not take such pads."},
          {pass::Word::Kind::Remark, "WINDOWS_DROPPED",
           "With such pads the operator would have fewer windows, and another shape."}};
}

}  // namespace loopglass::passes
