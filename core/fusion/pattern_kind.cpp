#include "core/fusion/pattern_kind.h"

#include "core/expr/rewrite.h"
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

namespace {

std::vector<expr::Load> loads_of(const expr::Expr& body) {
  std::vector<expr::Load> loads;
  expr::visit(body, [&](const expr::Expr& e) {
    if (const auto* load = e.as<expr::Load>()) loads.push_back(*load);
  });
  return loads;
}

std::optional<std::size_t> axis_of(const expr::Expr& index, const std::vector<te::Axis>& axes) {
  const auto* variable = index.as<expr::Variable>();
  if (variable == nullptr) return std::nullopt;
  const auto found = std::find_if(axes.begin(), axes.end(), [&](const te::Axis& axis) { return axis.name == variable->name; });
  if (found == axes.end()) return std::nullopt;
  return static_cast<std::size_t>(found - axes.begin());
}

// in[i] itself is Elementwise; in at some of the axes, in order, with constants between them is
// Broadcast; anything else Injective.
PatternKind kind_of_read(const te::Stage& stage, const expr::Load& load) {
  bool complete = load.indices.size() == stage.axes.size();
  std::optional<std::size_t> previous;
  for (std::size_t i = 0; i < load.indices.size(); ++i) {
    if (expr::as_integer(load.indices[i])) {
      // A unit dimension read at 0 is still every element when the output's extent is 1 as well.
      const bool unit = complete && expr::as_integer(stage.axes[i].extent) == 1;
      complete = complete && unit;
      continue;
    }
    const auto axis = axis_of(load.indices[i], stage.axes);
    if (!axis || (previous && *axis <= *previous)) return PatternKind::Injective;
    complete = complete && *axis == i;
    previous = axis;
  }
  return complete ? PatternKind::Elementwise : PatternKind::Broadcast;
}

PatternKind kind_of_map(const te::Stage& stage) {
  const auto loads = loads_of(stage.body);
  if (loads.empty()) return PatternKind::Injective;
  PatternKind kind = PatternKind::Elementwise;
  for (const expr::Load& load : loads) kind = std::max(kind, kind_of_read(stage, load));
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

// Chooses among several tensors by nothing but where the element is.
bool chooses_by_position(const te::Stage& stage) {
  const auto* choice = stage.body.as<expr::Select>();
  if (stage.reducer || choice == nullptr || !loads_of(choice->condition).empty()) return false;
  const auto loads = loads_of(stage.body);
  return std::any_of(loads.begin(), loads.end(), [&](const expr::Load& load) { return load.buffer != loads.front().buffer; });
}

}  // namespace

// Stage by stage, as TVM's analysis goes through the blocks of a function. A last stage that spreads
// a finished reduction over the elements again (Softmax) makes it one that elementwise operators can
// follow, since its results come element by element. One that finishes the reduction at its own
// places (the division of a mean) belongs to it.
PatternKind pattern_kind(const te::Program& program) {
  const bool several = program.outputs.size() > 1;
  // Several results are parts of what was read (Split): TVM's split is Injective as well.
  PatternKind kind = several ? PatternKind::Injective : PatternKind::Elementwise;
  for (const te::Stage& stage : program.stages) {
    if (stage.reducer) {
      if (several) return PatternKind::Opaque;
      kind = std::max(kind, reuses_data(stage) ? PatternKind::OutElementwiseFusable
                                               : PatternKind::CommReduce);
      continue;
    }
    const PatternKind map = kind_of_map(stage);
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

bool joins_tensors(const graph::Graph& graph, const graph::Node& node) {
  if (node.inputs.size() < 2 || node.outputs.size() != 1) return false;
  const auto program = program_of(graph, node);
  return program && program->stages.size() == 1 && chooses_by_position(program->stages.front());
}

}  // namespace loopglass::fusion
