#include "passes/graph/subpixel_convolution.h"

#include "core/ops/transposed_convolution.h"
#include "passes/graph/missed_rewrite.h"
#include "passes/graph/rules/expansion.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

namespace loopglass::passes {

namespace {

using graph::Node;
using graph::NodeId;
using graph::ValueId;
using ops::TransposedAxis;
using Integers = std::vector<std::int64_t>;

// Neighbouring phases of an axis that see as many elements of the kernel.
struct Phases {
  std::int64_t first, count, taps;
};

// Results of an axis in blocks of one a phase; block q holds those at q * stride - pad_begin and
// behind.
struct BlockedAxis : TransposedAxis {
  std::vector<Phases> phases;
  std::int64_t first_block, blocks;

  // Between taps, in elements of x: strides and dilations never meet (see refusal_of).
  std::int64_t step() const { return stride == 1 ? dilation : 1; }
  std::int64_t cut() const { return pad_begin - first_block * stride; }
};

BlockedAxis in_blocks(const TransposedAxis& of) {
  BlockedAxis axis{of, {}, of.pad_begin / of.stride, 0};
  const std::int64_t fewest = of.kernel / of.stride, more = of.kernel % of.stride;
  if (more > 0) axis.phases.push_back({0, more, fewest + 1});
  axis.phases.push_back({more, of.stride - more, fewest});
  // A convolution has no negative pads: blocks begin where x does, if not before, and end where it
  // ends, if not behind.
  for (const Phases& phases : axis.phases)
    axis.first_block = std::min(axis.first_block, (phases.taps - 1) * axis.step());
  const std::int64_t last = std::max((of.pad_begin + of.output - 1) / of.stride, of.input - 1);
  axis.blocks = last - axis.first_block + 1;
  return axis;
}

std::int64_t product(const std::vector<Phases>& chosen, std::int64_t Phases::*of) {
  return std::transform_reduce(chosen.begin(), chosen.end(), std::int64_t{1}, std::multiplies{},
                               [&](const Phases& phases) { return phases.*of; });
}

// The filters of a convolution that computes the chosen phases: for each of w, one a phase, the
// last axis' fastest.
Tensor phase_filters(const Tensor& w, std::int64_t groups, const std::vector<BlockedAxis>& axes,
                     const std::vector<Phases>& chosen) {
  const std::int64_t channels = w.shape()[0] / groups, filters = w.shape()[1];
  Shape shape{groups * filters * product(chosen, &Phases::count), channels};
  for (const Phases& phases : chosen) shape.push_back(phases.taps);
  Tensor result({w.data_type(), shape});
  const std::size_t size = byte_size(w.data_type());
  const std::vector<std::int64_t> strides = row_major_strides(w.shape());
  for (std::int64_t to = 0; to < result.elements(); ++to) {
    std::int64_t left = to, from = 0;
    const auto next = [&left](std::int64_t extent) {
      const std::int64_t index = left % extent;
      left /= extent;
      return index;
    };
    for (std::size_t i = axes.size(); i-- > 0;)
      from += (chosen[i].taps - 1 - next(chosen[i].taps)) * axes[i].stride * strides[i + 2];
    const std::int64_t channel = next(channels);
    for (std::size_t i = axes.size(); i-- > 0;)
      from += (chosen[i].first + next(chosen[i].count)) * strides[i + 2];
    from += next(filters) * strides[1] + (left * channels + channel) * strides[0];
    std::copy_n(w.data() + static_cast<std::size_t>(from) * size, size,
                result.data() + static_cast<std::size_t>(to) * size);
  }
  return result;
}

// Each element so many times.
Tensor repeated(const Tensor& vector, std::int64_t times) {
  Tensor result({vector.data_type(), {vector.elements() * times}});
  const std::size_t size = byte_size(vector.data_type());
  for (std::int64_t i = 0; i < result.elements(); ++i)
    std::copy_n(vector.data() + static_cast<std::size_t>(i / times) * size, size,
                result.data() + static_cast<std::size_t>(i) * size);
  return result;
}

class Rewriting : public rules::Expansion {
 public:
  Rewriting(rules::Edits& edits, const Node& node, const ops::TransposedConvolution& transposed)
      : Expansion(edits, node), groups_(transposed.convolution.groups) {
    for (const TransposedAxis& axis : transposed.axes) axes_.push_back(in_blocks(axis));
  }

  // What stands in the node's place.
  ValueId result() {
    std::vector<Phases> chosen;
    const ValueId pixels = side_by_side(blocks(chosen));
    return cut(pixels);
  }
  std::int64_t convolutions() const { return convolutions_; }

 private:
  // N x K x stride... x blocks..., of all phases of the axes that are not chosen yet.
  ValueId blocks(std::vector<Phases>& chosen) {
    const std::size_t axis = chosen.size();
    if (axis == axes_.size()) return convolved(chosen);
    std::vector<ValueId> parts;
    for (const Phases& phases : axes_[axis].phases) {
      chosen.push_back(phases);
      parts.push_back(blocks(chosen));
      chosen.pop_back();
    }
    return parts.size() == 1 ? parts[0] : add("_phases", ops::concatenation(axis + 2), parts);
  }

  ValueId convolved(const std::vector<Phases>& chosen) {
    ++convolutions_;
    const Tensor w = edits_.constant(node_.inputs[1]),
                 bias = edits_.constant(rules::Edits::input(node_, 2));
    std::vector<ValueId> inputs{node_.inputs[0],
                                constant(1, phase_filters(w, groups_, axes_, chosen))};
    if (bias.defined())
      inputs.push_back(constant(2, repeated(bias, product(chosen, &Phases::count))));
    Integers begins, ends, dilations;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      const BlockedAxis& axis = axes_[i];
      begins.push_back((chosen[i].taps - 1) * axis.step() - axis.first_block);
      ends.push_back(axis.first_block + axis.blocks - axis.input);
      dilations.push_back(axis.step());
    }
    begins.insert(begins.end(), ends.begin(), ends.end());
    const ValueId sums = add("_filters",
                             ops::operation_named("Conv", {{"group", groups_},
                                                           {"pads", std::move(begins)},
                                                           {"dilations", std::move(dilations)}}),
                             std::move(inputs));
    if (has_one_phase()) return sums;
    Shape shape = leading();
    for (const Phases& phases : chosen) shape.push_back(phases.count);
    for (const BlockedAxis& axis : axes_) shape.push_back(axis.blocks);
    return add("_blocks", ops::reshape_to(shape), {sums});
  }

  // From N x K x stride... x blocks... to N x K x blocks * stride...
  ValueId side_by_side(ValueId blocks) {
    if (has_one_phase()) return blocks;
    Integers permutation{0, 1};
    Shape shape = leading();
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      permutation.push_back(static_cast<std::int64_t>(2 + axes_.size() + i));
      permutation.push_back(static_cast<std::int64_t>(2 + i));
      shape.push_back(axes_[i].blocks * axes_[i].stride);
    }
    return add("_pixels", ops::reshape_to(shape),
               {add("_interleaved", ops::transposition(permutation), {blocks})});
  }

  ValueId cut(ValueId pixels) {
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      const BlockedAxis& axis = axes_[i];
      const std::int64_t begin = axis.cut();
      if (begin > 0 || axis.output < axis.blocks * axis.stride)
        pixels = add("_cut", ops::slice_of(i + 2, begin, begin + axis.output), {pixels});
    }
    return pixels;
  }

  bool has_one_phase() const {
    return std::ranges::all_of(axes_, [](const BlockedAxis& axis) { return axis.stride == 1; });
  }
  // N x K of the result.
  Shape leading() const {
    const Shape& shape = edits_.type(node_.outputs[0]).shape;
    return {shape[0], shape[1]};
  }
  ValueId constant(std::size_t operand, Tensor value) {
    return edits_.add_constant(edits_.graph().value(node_.inputs[operand]).name + "_phases",
                               std::move(value));
  }

  std::int64_t groups_;
  std::vector<BlockedAxis> axes_;
  std::int64_t convolutions_ = 0;
};

std::optional<MissedRewrite> refusal_of(const rules::Edits& edits, const Node& node,
                                        const ops::TransposedConvolution& transposed) {
  const ValueId bias = rules::Edits::input(node, 2);
  if (!edits.constant(node.inputs[1]).defined() || (bias && !edits.constant(bias).defined()))
    return MissedRewrite{
        "WEIGHTS_NOT_CONSTANT",
        "its weights, which have to be laid out anew, are known only when it runs"};
  for (const TransposedAxis& axis : transposed.axes) {
    if (axis.stride == 1) continue;
    if (axis.kernel < axis.stride)
      return MissedRewrite{
          "PHASE_WITHOUT_TAPS",
          fmt::format("a kernel of {} at strides of {} leaves results that sum nothing",
                      axis.kernel, axis.stride)};
    if (axis.dilation > 1)
      return MissedRewrite{"DILATIONS", "it has strides and dilations along one axis"};
  }
  return std::nullopt;
}

void rewrite(rules::Edits& edits, const Node& node, const ops::TransposedConvolution& transposed,
             pass::Report& report) {
  Rewriting rewriting(edits, node, transposed);
  const ValueId result = rewriting.result();
  const auto times = static_cast<double>(std::transform_reduce(
      transposed.axes.begin(), transposed.axes.end(), std::int64_t{1}, std::multiplies{},
      [](const TransposedAxis& axis) { return axis.stride; }));
  const std::int64_t convolutions = rewriting.convolutions();
  edits.put_in_place(node, result);
  report.remark(
      {pass::RemarkKind::Applied,
       "PHASES",
       node.name,
       {{"convolutions", static_cast<double>(convolutions)}, {"fewer_multiplications", times}},
       fmt::format("{} is computed by {} at the resolution of its input, with {} times "
                   "fewer multiplications.",
                   node.name,
                   convolutions == 1 ? std::string("a convolution")
                                     : fmt::format("{} convolutions", convolutions),
                   times)});
  report.rewrite({"subpixel-convolution",
                  {node.id.value},
                  std::move(rewriting).made(),
                  fmt::format("{} multiplies no zeros", node.name)});
}

}  // namespace

Result<graph::Graph> subpixel_convolution(const graph::Graph& graph, pass::Report& report) {
  rules::Edits edits(graph);
  for (const graph::NodePtr& each : graph.nodes()) {
    if (!report.may_rewrite()) break;
    if (report.cancellation.requested())
      return fail(Code::Cancelled, "the search for transposed convolutions was cancelled");
    if (!ops::is_transposed_convolution(*each->op)) continue;
    const Node node = edits.graph().node(each->id);
    const ops::TransposedConvolution transposed = TRY(ops::transposed_convolution_of(
        edits.type(node.inputs[0]), edits.type(node.inputs[1]), node.attributes));
    if (const auto refusal = refusal_of(edits, node, transposed))
      report.remark({pass::RemarkKind::Missed, refusal->code, node.name, refusal->numbers,
                     fmt::format("{} spreads its input: {}.", node.name, refusal->text)});
    else rewrite(edits, node, transposed, report);
  }
  return std::move(edits).finish();
}

pass::Words subpixel_convolution_words() {
  return {{pass::Word::Kind::Remark, "PHASES",
           "Results that see the same elements of the kernel are filters of one convolution, which "
           "multiplies no zeros between elements."},
          {pass::Word::Kind::Remark, "WEIGHTS_NOT_CONSTANT",
           "The transposed convolution stays: its weights would have to be laid out in every run."},
          {pass::Word::Kind::Remark, "PHASE_WITHOUT_TAPS",
           "The transposed convolution stays: its strides are wider than its kernel, so that some "
           "results sum nothing."},
          {pass::Word::Kind::Remark, "DILATIONS",
           "The transposed convolution stays: it has strides and dilations along one axis."}};
}

}  // namespace loopglass::passes
