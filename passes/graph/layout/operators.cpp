#include "passes/graph/layout/operators.h"

#include "core/expr/rewrite.h"
#include "core/graph/program.h"
#include "core/ops/concatenation.h"
#include "core/ops/image_axes.h"
#include "core/ops/layout_forms.h"
#include "core/ops/stored_statistics.h"

#include <fmt/format.h>

#include <algorithm>

namespace loopglass::passes::layout {

namespace {

using ops::channel_axis;

constexpr std::size_t image_rank = 4;

bool is_image(const TensorType& type) { return type.shape.size() == image_rank; }

// The blocks that divide the extent.
Choices choices_for(std::int64_t channels) {
  Choices choices = Choices();
  choices.add(Choice::Nhwc);
  for (const Choice choice : {Choice::Blocked16, Choice::Blocked32})
    if (channels > 0 && channels % layout_of(choice).block(channel_axis) == 0) choices.add(choice);
  return choices;
}

Finding refused(std::string code, std::string text,
                std::vector<std::pair<std::string, double>> numbers = {}) {
  return {{}, MissedRewrite{std::move(code), std::move(text), std::move(numbers)}};
}

Finding same_throughout(const graph::Node& node, Kind kind, Choices choices,
                        std::vector<std::size_t> images) {
  return {Operator{node.id, kind, choices, choices, std::move(images)}, {}};
}

Finding no_image(const graph::Node& node, const TensorType& type) {
  return refused(
      "LAYOUT_RANK",
      fmt::format("{} stays as it is: layouts are chosen for images, and it works on {}.",
                  node.name, to_string(type)),
      {{"rank", static_cast<double>(type.shape.size())}});
}

// Every load takes the element at the stage's own indices, the first ones missing and those of
// extent one at 0: what numpy's broadcasting says, in any order of the dimensions.
bool is_elementwise_stage(const te::Stage& stage, std::size_t rank) {
  if (stage.reducer || stage.axes.size() != rank) return false;
  bool plain = true;
  const expr::Expr values = expr::rewrite(stage.body, [&](const expr::Expr& e) -> expr::Expr {
    const auto* load = e.as<expr::Load>();
    if (load == nullptr) return {};
    plain = plain && load->indices.size() <= rank;
    for (std::size_t d = 0; plain && d < load->indices.size(); ++d) {
      const auto* variable = load->indices[d].as<expr::Variable>();
      plain = expr::as_integer(load->indices[d]) == 0 ||
              (variable != nullptr &&
               variable->name == stage.axes[d + rank - load->indices.size()].name);
    }
    return expr::constant(e.type(), 0);
  });
  return plain && expr::variables_of(values).empty();
}

}  // namespace

const Layout& layout_of(Choice choice) {
  static const std::array<Layout, choice_count> layouts{
      Layout::of("NCHW"), Layout::of("NHWC"), Layout::of("NCHW16c"), Layout::of("NCHW32c")};
  return layouts[static_cast<std::size_t>(choice)];
}

Finding OperatorFinder::find(const graph::Node& node) {
  using enum ops::Family;
  const ops::Family family = node.op->family;
  const bool has_form = ops::layout_form_of(*node.op) != nullptr;
  if (has_form && family == Convolution) return convolution(node);
  if (has_form && family == Pooling)
    return pooling(node, node.attributes.has("kernel_shape") ? Kind::Window : Kind::WholeImage);
  if (node.outputs.size() != 1 || !is_image(type(node.outputs[0]))) return {};
  const auto statistics = ops::stored_statistics_of(*node.op, node.attributes);
  if (has_form && statistics && !statistics->of_the_batch)
    return same_throughout(node, Kind::Elementwise,
                           choices_for(type(node.inputs[0]).shape[channel_axis]), {0});
  if (ops::concatenation_axis(*node.op, node.attributes, image_rank)) return concatenation(node);
  if (family == Elementwise || family == Activation || family == Comparison)
    return elementwise(node);
  return {};
}

Finding OperatorFinder::convolution(const graph::Node& node) const {
  const TensorType &x = type(node.inputs[0]), &w = type(node.inputs[1]), &y = type(node.outputs[0]);
  if (!is_image(x)) return no_image(node, x);
  if (!graph_.value(node.inputs[1]).is_constant())
    return refused(
        "LAYOUT_WEIGHTS_NOT_CONSTANT",
        fmt::format(
            "{} stays in NCHW: its weights are known only when the network runs, and moving them "
            "then would cost more than it gains.",
            node.name));
  const std::int64_t groups = node.attributes.integer("group"), filters = y.shape[channel_axis];
  if (groups == 1)
    return {Operator{node.id,
                     Kind::Convolution,
                     choices_for(x.shape[channel_axis]),
                     choices_for(filters),
                     {0}},
            {}};
  if (w.shape[1] == 1 && filters == groups)
    return same_throughout(node, Kind::DepthwiseConvolution, choices_for(filters), {0});
  // A block must not reach into the next group.
  Choices choices = choices_for(w.shape[1]);
  choices.keep(choices_for(filters / groups));
  return same_throughout(node, Kind::GroupedConvolution, choices, {0});
}

Finding OperatorFinder::pooling(const graph::Node& node, Kind kind) const {
  const TensorType& x = type(node.inputs[0]);
  if (!is_image(x)) return no_image(node, x);
  if (node.outputs.size() > 1)
    return refused(
        "LAYOUT_POSITIONS",
        fmt::format("{} stays in NCHW: the positions it gives count in that order.", node.name));
  return same_throughout(node, kind, choices_for(x.shape[channel_axis]), {0});
}

bool OperatorFinder::is_elementwise(const graph::Node& node) {
  std::string key = node.op->name;
  for (const graph::ValueId input : node.inputs) key += input ? to_string(type(input)) : "_";
  for (const auto& [name, value] : node.attributes.all())
    key += fmt::format(",{}={}", name, ops::to_string(value));
  const auto [known, fresh] = known_.try_emplace(key, false);
  if (!fresh) return known->second;
  const auto program =
      graph::program_of(node, [&](graph::ValueId id) -> const TensorType& { return type(id); });
  return known->second =
             program && std::ranges::all_of(program->stages, [](const te::Stage& stage) {
               return is_elementwise_stage(stage, image_rank);
             });
}

// Operands of all channels take the layout; the others must be single numbers, or constants, whose
// elements can be put where they belong now.
Finding OperatorFinder::elementwise(const graph::Node& node) {
  const TensorType& y = type(node.outputs[0]);
  std::vector<std::size_t> images;
  for (std::size_t k = 0; k < node.inputs.size(); ++k) {
    if (!node.inputs[k]) continue;
    const TensorType& x = type(node.inputs[k]);
    if (element_count(x.shape) == 1) continue;
    if (graph_.value(node.inputs[k]).is_constant() && x.shape.size() <= image_rank) continue;
    // One channel for all has no place in blocks; as an image of one channel it only changes
    // extents.
    if (!is_image(x) || x.shape[channel_axis] != y.shape[channel_axis]) return {};
    images.push_back(k);
  }
  if (images.empty() || !is_elementwise(node)) return {};
  return same_throughout(node, Kind::Elementwise, choices_for(y.shape[channel_axis]),
                         std::move(images));
}

Finding OperatorFinder::concatenation(const graph::Node& node) const {
  Choices choices = Choices::all();
  std::vector<std::size_t> images;
  for (std::size_t k = 0; k < node.inputs.size(); ++k) {
    choices.keep(choices_for(type(node.inputs[k]).shape[channel_axis]));
    images.push_back(k);
  }
  return same_throughout(node, Kind::Concatenation, choices, std::move(images));
}

}  // namespace loopglass::passes::layout
