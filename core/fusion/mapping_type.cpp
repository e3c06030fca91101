#include "core/fusion/mapping_type.h"

#include "core/expr/rewrite.h"
#include "core/expr/simplify.h"
#include "core/fusion/pattern_kind.h"
#include "core/graph/program.h"

#include <algorithm>
#include <array>
#include <map>

namespace loopglass::fusion {

namespace {

using expr::Expr;

// The element count of a tensor with known extents; -1 where one is a symbol.
std::int64_t elements(const std::vector<Expr>& shape) {
  std::int64_t product = 1;
  for (const Expr& extent : shape) {
    const auto known = expr::as_integer(extent);
    if (!known) return -1;
    product *= *known;
  }
  return product;
}

Expr linear_index(const std::vector<Expr>& indices, const std::vector<Expr>& shape) {
  Expr linear(0);
  for (std::size_t i = 0; i < indices.size(); ++i) linear = linear * shape[i] + indices[i];
  return linear;
}

// One stage that writes output[axes] = body, and what its loads read.
class StageReads {
 public:
  explicit StageReads(const te::Stage& stage) : stage_(stage) {
    for (const te::Axis& axis : stage.axes) {
      const auto extent = expr::as_integer(axis.extent);
      if (extent) ranges_[axis.name] = {0, *extent - 1};
      own_.push_back(expr::variable(axis.name));
      if (!extent || *extent != 1) wide_.push_back(axis.name);
    }
  }

  MappingType of(const expr::Load& load, const std::vector<Expr>& shape) const {
    const auto has_data = [](const Expr& index) { return expr::has_load(index); };
    if (std::any_of(load.indices.begin(), load.indices.end(), has_data))
      return MappingType::OneToMany;
    for (const std::string& axis : wide_)
      if (std::none_of(load.indices.begin(), load.indices.end(),
                       [&](const Expr& index) { return expr::uses_variable(index, axis); }))
        return MappingType::OneToMany;
    const std::int64_t read = elements(shape), written = elements(stage_.output.shape);
    if (read == written && is_same_order(load, shape))
      return te::concrete(shape) == te::concrete(stage_.output.shape) ? MappingType::OneToOne
                                                                      : MappingType::Reorganize;
    if (const auto order = axis_of_each_index(load))
      return std::is_sorted(order->begin(), order->end()) ? MappingType::OneToOne
                                                          : MappingType::Shuffle;
    // Quotients and remainders: as many elements on both sides are moved, more on this side
    // repeated.
    return read >= written ? MappingType::Shuffle : MappingType::OneToMany;
  }

 private:
  bool is_same_order(const expr::Load& load, const std::vector<Expr>& shape) const {
    const Expr difference =
        linear_index(load.indices, shape) - linear_index(own_, stage_.output.shape);
    return expr::as_integer(expr::simplify(difference, ranges_)) == 0;
  }

  // The axis that each index moves with, where every wide axis moves just one: slices, pads,
  // transposes.
  std::optional<std::vector<std::size_t>> axis_of_each_index(const expr::Load& load) const {
    std::vector<std::size_t> order;
    for (const Expr& index : load.indices) {
      std::optional<std::size_t> found;
      for (std::size_t axis = 0; axis < stage_.axes.size(); ++axis) {
        const std::string& name = stage_.axes[axis].name;
        if (std::find(wide_.begin(), wide_.end(), name) == wide_.end() ||
            !expr::uses_variable(index, name))
          continue;
        if (found || expr::coefficient(index, name).value_or(0) == 0) return std::nullopt;
        found = axis;
      }
      if (found) order.push_back(*found);
    }
    return order.size() == wide_.size() ? std::optional(order) : std::nullopt;
  }

  const te::Stage& stage_;
  expr::Ranges ranges_;
  std::vector<Expr> own_;
  std::vector<std::string> wide_;  // axes of more than one element
};

bool reduces(const te::Stage& stage) {
  return std::any_of(stage.reduce_axes.begin(), stage.reduce_axes.end(),
                     [](const te::Axis& axis) { return expr::as_integer(axis.extent) != 1; });
}

MappingType stage_type(const te::Program& program, const te::Stage& stage) {
  if (reduces(stage)) return MappingType::ManyToMany;
  MappingType type = MappingType::OneToOne;
  const StageReads reads(stage);
  // A tensor read at two places feeds several outputs.
  std::map<std::string, std::vector<Expr>> seen;
  expr::visit(stage.body, [&](const Expr& e) {
    const auto* load = e.as<expr::Load>();
    if (load == nullptr) return;
    type = std::max(type, reads.of(*load, shape_of(program, load->buffer)));
    const auto [first, fresh] = seen.emplace(load->buffer, load->indices);
    if (!fresh && !std::equal(first->second.begin(), first->second.end(), load->indices.begin(),
                              load->indices.end(),
                              [](const Expr& a, const Expr& b) { return expr::same(a, b); }))
      type = std::max(type, MappingType::OneToMany);
  });
  return type;
}

constexpr std::size_t type_count = static_cast<std::size_t>(MappingType::ManyToMany) + 1;

}  // namespace

std::string_view name(MappingType type) {
  switch (type) {
    case MappingType::OneToOne: return "one-to-one";
    case MappingType::Reorganize: return "reorganize";
    case MappingType::Shuffle: return "shuffle";
    case MappingType::OneToMany: return "one-to-many";
    case MappingType::ManyToMany: return "many-to-many";
  }
  throw InternalError("mapping type outside its enumeration");
}

MappingType mapping_type(const te::Program& program) {
  MappingType type = MappingType::OneToOne;
  for (const te::Stage& stage : program.stages) type = std::max(type, stage_type(program, stage));
  return type;
}

MappingType mapping_type(const graph::Graph& graph, const graph::Node& node) {
  const auto program = program_of(graph, node);
  // What cannot be computed here fuses with nothing that matters; lowering will say why.
  return program ? mapping_type(*program) : MappingType::ManyToMany;
}

std::vector<MappingType> mapping_types(const graph::Graph& graph) {
  std::vector<MappingType> types;
  for (const graph::NodePtr& node : graph.nodes()) types.push_back(mapping_type(graph, *node));
  return types;
}

Combination combine(MappingType first, MappingType second) {
  using enum MappingType;
  using enum Profit;
  // Rows and columns in the order of the enumeration; table 3 of the paper.
  static const std::array<std::array<Combination, type_count>, type_count> table{{
      {{{OneToOne, Always},
        {Reorganize, Always},
        {Shuffle, Always},
        {OneToMany, Always},
        {ManyToMany, Always}}},
      {{{Reorganize, Always},
        {Reorganize, Always},
        {Reorganize, Always},
        {OneToMany, Judge},
        {ManyToMany, Judge}}},
      {{{Shuffle, Always},
        {Reorganize, Always},
        {Shuffle, Always},
        {OneToMany, Judge},
        {ManyToMany, Judge}}},
      {{{OneToMany, Always},
        {OneToMany, Judge},
        {OneToMany, Judge},
        {OneToMany, Judge},
        {ManyToMany, Never}}},
      {{{ManyToMany, Always},
        {ManyToMany, Judge},
        {ManyToMany, Judge},
        {ManyToMany, Judge},
        {ManyToMany, Never}}},
  }};
  return table[static_cast<std::size_t>(first)][static_cast<std::size_t>(second)];
}

}  // namespace loopglass::fusion
