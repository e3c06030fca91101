#include "passes/graph/layout/rewrite.h"

#include "core/ops/concatenation.h"
#include "core/ops/layout_forms.h"
#include "core/ops/operation.h"
#include "core/support/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace loopglass::passes::layout {

namespace {

using graph::NodeId;
using graph::ValueId;

class Rewriter {
 public:
  Rewriter(const graph::Graph& graph, pass::Report& report) : builder_(graph), report_(report) {}

  Result<void> rewrite(const Decision& decision) {
    const graph::Node node = builder_.node(decision.op.node);
    made_.clear();
    const Layout &in = layout_of(decision.input), &out = layout_of(decision.output);
    std::vector<ValueId> inputs = node.inputs;
    for (const std::size_t k : decision.op.images) inputs[k] = TRY(image_in(inputs[k], in, node));
    ops::Operation operation{node.op, node.attributes};
    if (const ops::OpDef* form = ops::layout_form_of(*node.op)) {
      operation.op = form;
      if (decision.op.kind <= Kind::GroupedConvolution) {
        const Layout weights = weights_layout(builder_.value(inputs[1]).type.shape, in, out);
        if (!weights.is_plain()) inputs[1] = TRY(arranged(inputs[1], weights));
        operation.attributes = ops::in_layouts(node.attributes, in, weights, out);
      } else {
        operation.attributes = ops::in_layout(node.attributes, in);
      }
    } else if (decision.op.kind == Kind::Concatenation) {
      const auto axis = ops::concatenation_axis(*node.op, node.attributes, out.rank());
      operation.attributes = ops::along_axis(axis_in(out, *axis));
    } else {
      TRY_VOID(arrange_operands(inputs, decision, out));
    }
    TRY_VOID(replace(node, std::move(operation), std::move(inputs), out));
    report_.rewrite(
        {"into-layout",
         {node.id.value},
         made_,
         in == out ? fmt::format("{} works in {}", node.name, out.text())
                   : fmt::format("{} reads {} and writes {}", node.name, in.text(), out.text())});
    return {};
  }

  Result<graph::Graph> finish() && {
    builder_.remove_unused_constants();
    return std::move(builder_).finish();
  }

 private:
  // An image in NCHW is also there in another layout.
  struct Physical {
    ValueId value;
    Layout layout;
  };

  // The node in its layout, its result back in NCHW.
  Result<void> replace(const graph::Node& node, ops::Operation operation,
                       std::vector<ValueId> inputs, const Layout& out) {
    const ValueId old = node.outputs[0];
    const std::string result = builder_.value(old).name;
    const NodeId made = TRY(add(node.name, std::move(operation), std::move(inputs), node.origin,
                                fmt::format("{}_{}", result, out.text())));
    const ValueId physical = builder_.output(made);
    CHECK(builder_.value(physical).type.shape == *out.physical(builder_.value(old).type.shape),
          fmt::format("{} is no {} of what it was", node.name, out.text()));
    const ValueId restored =
        out.is_plain() ? physical : TRY(moved(physical, out, layout_of(Choice::Nchw), node));
    if (!out.is_plain()) physical_.insert_or_assign(restored, Physical{physical, out});
    builder_.replace_uses(old, restored);
    builder_.remove_node(node.id);
    builder_.rename(made, node.name);
    builder_.rename(restored, result);
    for (const ValueId input : std::set(node.inputs.begin(), node.inputs.end()))
      if (input) remove_unused(input);
    return {};
  }

  // Transforms back into NCHW that nobody reads any more have cancelled.
  void remove_unused(ValueId id) {
    if (!builder_.is_used(id) && !physical_of(id).layout.is_plain())
      builder_.remove_node(builder_.value(id).producer);
  }

  Result<ValueId> image_in(ValueId id, const Layout& layout, const graph::Node& node) {
    if (layout.is_plain()) return id;
    if (builder_.value(id).is_constant()) return arranged(id, layout);
    const auto memo = std::pair(id, layout.text());
    if (const auto known = images_.find(memo); known != images_.end()) return known->second;
    const Physical source = physical_of(id);
    if (source.layout == layout) return source.value;
    return images_[memo] = TRY(moved(source.value, source.layout, layout, node));
  }

  // Where the image comes from, if it was brought back from another layout, by this pass or before.
  Physical physical_of(ValueId id) const {
    if (const auto known = physical_.find(id); known != physical_.end()) return known->second;
    const graph::Value& value = builder_.value(id);
    const graph::Node* producer = value.producer ? builder_.find(value.producer) : nullptr;
    const auto move = producer != nullptr ? ops::layout_move_of(*producer->op, producer->attributes)
                                          : std::nullopt;
    if (move && move->to == layout_of(Choice::Nchw)) return {producer->inputs[0], move->from};
    return {id, layout_of(Choice::Nchw)};
  }

  // A transform; where the elements lie in the same order already, only new extents.
  Result<ValueId> moved(ValueId id, const Layout& from, const Layout& to, const graph::Node& node) {
    const graph::Value& value = builder_.value(id);
    const Shape logical = TRY(from.logical(value.type.shape));
    const bool same = element_count(logical) > 0 && from.same_order(to, logical);
    const std::string name = fmt::format("{}_{}", value.name, to.text());
    return builder_.output(TRY(
        add(name, same ? ops::reshape_to(TRY(to.physical(logical))) : ops::layout_move(from, to),
            {id}, node.origin, name)));
  }

  // One of the nodes of this rewrite.
  Result<NodeId> add(const std::string& name, ops::Operation operation, std::vector<ValueId> inputs,
                     const Origin& origin, const std::string& result) {
    const NodeId made =
        TRY(builder_.add_node(name, *operation.op, std::move(inputs),
                              std::move(operation.attributes), 1, origin, {result}));
    made_.push_back(made.value);
    return made;
  }

  // --- constants --------------------------------------------------------------------------------

  Result<ValueId> arranged(ValueId id, const Layout& layout) {
    const auto memo = std::pair(id, layout.text());
    if (const auto known = images_.find(memo); known != images_.end()) return known->second;
    const graph::Value& value = builder_.value(id);
    Tensor tensor = TRY(layout.arranged(value.constant));
    return images_[memo] = builder_.add_constant(fmt::format("{}_{}", value.name, layout.text()),
                                                 std::move(tensor));
  }

  static Layout weights_layout(const Shape& weights, const Layout& in, const Layout& out) {
    constexpr std::size_t channel = 1;
    std::string text = "OIHW";
    // A depthwise filter has no channels to lie in blocks.
    if (const std::int64_t block = in.block(channel); block > 1 && weights[channel] % block == 0)
      text += fmt::format("{}i", block);
    if (const std::int64_t block = out.block(channel); block > 1) text += fmt::format("{}o", block);
    return Layout::of(text);
  }

  // Constant operands of elementwise operators: all axes are written down, and an axis of one
  // element stays one wherever it lies.
  Result<void> arrange_operands(std::vector<ValueId>& inputs, const Decision& decision,
                                const Layout& layout) {
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      if (!inputs[k] || std::ranges::count(decision.op.images, k) > 0) continue;
      const graph::Value& value = builder_.value(inputs[k]);
      if (element_count(value.type.shape) == 1) continue;  // broadcasts to whatever there is
      Shape logical = value.type.shape;
      logical.insert(logical.begin(), layout.rank() - logical.size(), 1);
      const Tensor operand = value.constant.reshaped(logical);
      Shape physical;
      if (logical[1] != 1) {
        physical = TRY(layout.physical(logical));
      } else {
        for (const Layout::Dimension& dimension : layout.dimensions())
          physical.push_back(dimension.block > 0 ? 1 : logical[dimension.axis]);
      }
      Tensor tensor = logical[1] != 1 ? TRY(layout.arranged(operand)) : operand.reshaped(physical);
      inputs[k] =
          builder_.add_constant(fmt::format("{}_{}", value.name, layout.text()), std::move(tensor));
    }
    return {};
  }

  static std::size_t axis_in(const Layout& layout, std::size_t axis) {
    const auto& dimensions = layout.dimensions();
    const auto found = std::ranges::find(dimensions, Layout::Dimension{axis, 0});
    CHECK(found != dimensions.end(), "an axis that the layout has not");
    return static_cast<std::size_t>(found - dimensions.begin());
  }

  graph::GraphBuilder builder_;
  pass::Report& report_;
  std::map<ValueId, Physical> physical_;                       // by the NCHW value
  std::map<std::pair<ValueId, std::string>, ValueId> images_;  // values in other layouts
  std::vector<std::uint32_t> made_;                            // nodes of this rewrite
};

}  // namespace

Result<graph::Graph> apply(const graph::Graph& graph, const std::vector<Decision>& decisions,
                           pass::Report& report) {
  Rewriter rewriter(graph, report);
  for (const Decision& decision : decisions) {
    if (!decision.changes()) continue;
    if (report.cancellation.requested())
      return fail(Code::Cancelled, "the choice of layouts was cancelled");
    if (!report.may_rewrite()) break;
    TRY_VOID(rewriter.rewrite(decision));
  }
  return std::move(rewriter).finish();
}

}  // namespace loopglass::passes::layout
