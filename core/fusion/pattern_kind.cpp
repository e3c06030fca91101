#include "core/fusion/pattern_kind.h"

#include "core/expr/place.h"
#include "core/expr/rewrite.h"
#include "core/expr/simplify.h"
#include "core/graph/program.h"
#include "core/support/check.h"

#include <algorithm>

namespace loopglass::fusion {

std::string_view name(PatternKind kind) {
  switch (kind) {
    case PatternKind::Elementwise: return "Elementwise";
    case PatternKind::Broadcast: return "Broadcast";
    case PatternKind::Injective: return "Injective";
    case PatternKind::CommReduce: return "CommReduce";
    case PatternKind::OutElementwiseFusable: return "OutElementwiseFusable";
    case PatternKind::Tuple: return "Tuple";
    case PatternKind::Opaque: return "Opaque";
  }
  throw InternalError("pattern kind outside its enumeration");
}

std::string_view explanation(PatternKind kind) {
  switch (kind) {
    case PatternKind::Elementwise:
      return "Each element of the result comes from the element at its own place.";
    case PatternKind::Broadcast:
      return "Elements come from the operand in its order, repeated along axes that it has not.";
    case PatternKind::Injective:
      return "Each element comes from some other place, without a reduction: Transpose, Concat.";
    case PatternKind::CommReduce:
      return "A sum, or another commutative reduction, that reads each element once.";
    case PatternKind::OutElementwiseFusable:
      return "A reduction that reads elements again, or spreads its result over them: convolution, "
             "product, pooling, Softmax. What follows element by element may join it.";
    case PatternKind::Tuple: return "No operator: a list of tensors that one operator takes.";
    case PatternKind::Opaque:
      return "Several results of reductions, or what cannot be computed here: nothing joins it.";
  }
  throw InternalError("pattern kind outside its enumeration");
}

std::vector<expr::Load> loads_of(const expr::Expr& body) {
  std::vector<expr::Load> loads;
  expr::visit(body, [&](const expr::Expr& e) {
    if (const auto* load = e.as<expr::Load>()) loads.push_back(*load);
  });
  return loads;
}

const std::vector<expr::Expr>& shape_of(const te::Program& program, const std::string& tensor) {
  for (const te::Tensor& input : program.inputs)
    if (input.name == tensor) return input.shape;
  const te::Stage* stage = program.stage(tensor);
  CHECK(stage != nullptr, "a stage reads a tensor that its program does not hold");
  return stage->output.shape;
}

namespace {

std::optional<std::size_t> axis_of(const expr::Expr& index, const std::vector<te::Axis>& axes) {
  const auto* variable = index.as<expr::Variable>();
  if (variable == nullptr) return std::nullopt;
  const auto found = std::find_if(
      axes.begin(), axes.end(), [&](const te::Axis& axis) { return axis.name == variable->name; });
  if (found == axes.end()) return std::nullopt;
  return static_cast<std::size_t>(found - axes.begin());
}

std::int64_t count(const std::vector<expr::Expr>& extents) {
  std::int64_t product = 1;
  for (const expr::Expr& extent : extents) {
    const auto known = expr::as_integer(extent);
    if (!known) return -1;
    product *= *known;
  }
  return product;
}

bool same_extents(const std::vector<expr::Expr>& a, const std::vector<expr::Expr>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), expr::same);
}

// Every index is an axis that runs over the whole of its dimension, in order, or 0 in a dimension
// of one element.
bool names_axes_in_order(const te::Stage& stage, const expr::Load& load,
                         const std::vector<expr::Expr>& shape) {
  std::optional<std::size_t> previous;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const auto axis = axis_of(load.indices[d], stage.axes);
    if (expr::as_integer(load.indices[d]) == 0 && expr::as_integer(shape[d]) == 1) continue;
    if (!axis || !expr::same(stage.axes[*axis].extent, shape[d])) return false;
    if (expr::as_integer(shape[d]) == 1) continue;
    if (previous && *axis <= *previous) return false;
    previous = axis;
  }
  return true;
}

// The axes that the place of the element depends on, walked in order, walk the whole tensor in
// order, however its dimensions cut it up.
bool walks_in_order(const te::Stage& stage, const expr::Load& load,
                    const std::vector<expr::Expr>& shape) {
  const std::int64_t elements = count(shape);
  if (elements < 0 || std::ranges::any_of(load.indices, expr::has_load)) return false;
  expr::Ranges ranges;
  std::vector<expr::Expr> used, extents;
  for (const te::Axis& axis : stage.axes) {
    const auto extent = expr::as_integer(axis.extent);
    if (!extent || *extent < 1) return false;
    ranges[axis.name] = {0, *extent - 1};
    const auto depends = [&](const expr::Expr& index) {
      return expr::uses_variable(index, axis.name);
    };
    if (*extent == 1 || std::ranges::none_of(load.indices, depends)) continue;
    used.push_back(expr::variable(axis.name));
    extents.push_back(axis.extent);
  }
  if (count(extents) != elements) return false;
  const expr::Expr difference = expr::place_of(load.indices, shape) - expr::place_of(used, extents);
  return expr::as_integer(expr::simplify(difference, ranges)) == 0;
}

PatternKind kind_of_map(const te::Program& program, const te::Stage& stage) {
  const auto loads = loads_of(stage.body);
  if (loads.empty()) return PatternKind::Injective;
  PatternKind kind = PatternKind::Elementwise;
  for (const expr::Load& load : loads)
    kind = std::max(kind, kind_of_read(stage, load, shape_of(program, load.buffer)));
  return kind;
}

// A reduction reads every input element at most once, and only one tensor, when each index is one
// axis of its own: no window slides (pooling) and no operand is reused (matrix product).
bool reuses_data(const te::Stage& stage) {
  const auto loads = loads_of(stage.body);
  std::vector<te::Axis> axes = stage.axes;
  axes.insert(axes.end(), stage.reduce_axes.begin(), stage.reduce_axes.end());
  for (const expr::Load& load : loads) {
    if (load.buffer != loads.front().buffer) return true;
    for (const expr::Expr& index : load.indices)
      if (!expr::as_integer(index) && !axis_of(index, axes)) return true;
  }
  return false;
}

}  // namespace

PatternKind kind_of_read(const te::Stage& stage, const expr::Load& load,
                         const std::vector<expr::Expr>& shape) {
  if (!names_axes_in_order(stage, load, shape) && !walks_in_order(stage, load, shape))
    return PatternKind::Injective;
  return same_extents(shape, stage.output.shape) ? PatternKind::Elementwise
                                                 : PatternKind::Broadcast;
}

// Stage by stage, as TVM's analysis goes through the blocks of a function. A last stage that
// spreads a finished reduction over the elements again (Softmax) makes it one that elementwise
// operators can follow, since its results come element by element. One that finishes the reduction
// at its own places (the division of a mean) belongs to it.
PatternKind pattern_kind(const te::Program& program) {
  const bool several = program.outputs.size() > 1;
  // Several results are parts of what was read (Split): TVM's split is Injective as well.
  PatternKind kind = several ? PatternKind::Injective : PatternKind::Elementwise;
  for (const te::Stage& stage : program.stages) {
    if (stage.reducer) {
      if (several) return PatternKind::Opaque;
      kind = std::max(
          kind, reuses_data(stage) ? PatternKind::OutElementwiseFusable : PatternKind::CommReduce);
      continue;
    }
    const PatternKind map = kind_of_map(program, stage);
    const bool is_last = !several && stage.output.name == program.outputs.front();
    kind = kind == PatternKind::CommReduce && is_last && map > PatternKind::Elementwise
               ? PatternKind::OutElementwiseFusable
               : std::max(kind, map);
  }
  return kind;
}

PatternKind pattern_kind(const graph::Graph& graph, const graph::Node& node) {
  const auto program = program_of(graph, node);
  // An operator that cannot be lowered here fuses with nothing; lowering will say why.
  return program ? pattern_kind(*program) : PatternKind::Opaque;
}

bool takes_tuple(const ops::OpDef& op, PatternKind kind) {
  return kind == PatternKind::Injective && !op.inputs.empty() &&
         op.inputs.back().arity == ops::Arity::Variadic;
}

}  // namespace loopglass::fusion
