#include "core/fusion/loop_sketch.h"

#include "core/expr/linear.h"
#include "core/expr/rewrite.h"
#include "core/fusion/kernel.h"
#include "core/fusion/pattern_kind.h"
#include "core/graph/program.h"
#include "core/ops/opaque.h"
#include "core/support/check.h"
#include "core/te/axis_roles.h"

#include <algorithm>
#include <set>

namespace loopglass::fusion {

std::string_view name(Walk walk) {
  switch (walk) {
    case Walk::None: return "none";
    case Walk::Once: return "once";
    case Walk::Elements: return "elements";
    case Walk::Repeats: return "repeats";
    case Walk::Window: return "window";
    case Walk::Elsewhere: return "elsewhere";
  }
  throw InternalError("walk outside its enumeration");
}

std::string_view explanation(Walk walk) {
  switch (walk) {
    case Walk::None: return "The nest does not touch the tensor of the edge.";
    case Walk::Once: return "One iteration.";
    case Walk::Elements:
      return "Element by element: each iteration is at other elements of the tensor.";
    case Walk::Repeats: return "Again: each iteration is at the same elements of the tensor.";
    case Walk::Window: return "By a window: two loops walk one dimension of the tensor together.";
    case Walk::Elsewhere: return "Elsewhere: the index is no plain walk along a dimension.";
  }
  throw InternalError("walk outside its enumeration");
}

namespace {

bool has(const std::vector<te::Axis>& axes, const std::string& name) {
  return std::ranges::any_of(axes, [&](const te::Axis& axis) { return axis.name == name; });
}

bool runs_once(const te::Axis& axis) { return expr::as_integer(axis.extent) == 1; }

// Of an axis in an index: alone there, or with one of the other sort and nothing else.
Walk walk_of_index(const te::Stage& stage, const expr::Expr& index) {
  bool spatial = false, reduction = false;
  std::size_t moving = 0;
  for (const auto& [atom, coefficient] : expr::linear(index).terms) {
    const auto* variable = atom.as<expr::Variable>();
    if (variable == nullptr) return Walk::Elsewhere;
    const auto is_once = [&](const te::Axis& other) {
      return other.name == variable->name && runs_once(other);
    };
    if (std::ranges::any_of(stage.axes, is_once) || std::ranges::any_of(stage.reduce_axes, is_once))
      continue;
    ++moving;
    spatial = spatial || has(stage.axes, variable->name);
    reduction = reduction || has(stage.reduce_axes, variable->name);
  }
  if (moving == 1) return Walk::Elements;
  return moving == 2 && spatial && reduction ? Walk::Window : Walk::Elsewhere;
}

// `in_order`: the loops that the indices are made of walk the whole tensor in the order of memory,
// whatever shape they see it in.
Walk walk_of_load(const te::Stage& stage, const expr::Load& load, const te::Axis& axis,
                  bool in_order) {
  if (runs_once(axis)) return Walk::Once;
  std::optional<Walk> found;
  for (const expr::Expr& index : load.indices) {
    if (!expr::uses_variable(index, axis.name)) continue;
    if (in_order) return Walk::Elements;
    // In two dimensions at once it walks neither: a diagonal.
    found = found ? Walk::Elsewhere : walk_of_index(stage, index);
  }
  return found.value_or(Walk::Repeats);
}

// The tensors of the operator's program that stand for a value it takes.
std::set<std::string> operands(const graph::Node& node, graph::ValueId value,
                               const te::Program& program) {
  std::set<std::string> names;
  std::size_t given = 0;
  for (const graph::ValueId input : node.inputs) {
    if (!input) continue;
    if (input == value) names.insert(program.inputs[given].name);
    ++given;
  }
  return names;
}

// What finishes the sums of one stage at their own places, and is read nowhere else before, belongs
// to that stage's nest: the bias of a convolution, the division of a mean.
std::optional<std::size_t> finished_by(const te::Program& program, std::size_t index) {
  const te::Stage& stage = program.stages[index];
  if (stage.reducer) return std::nullopt;
  const auto loads = loads_of(stage.body);
  for (std::size_t sum = 0; sum < index; ++sum) {
    const te::Stage& other = program.stages[sum];
    if (!other.reducer) continue;
    const auto reads_sum = [&](const expr::Load& load) { return load.buffer == other.output.name; };
    const auto load = std::ranges::find_if(loads, reads_sum);
    if (load == loads.end() || std::ranges::count_if(loads, reads_sum) > 1) continue;
    const auto readers = std::ranges::count_if(program.stages, [&](const te::Stage& reader) {
      return std::ranges::any_of(loads_of(reader.body), reads_sum);
    });
    if (readers == 1 && kind_of_read(stage, *load, other.output.shape) == PatternKind::Elementwise)
      return sum;
  }
  return std::nullopt;
}

class Sketcher {
 public:
  // `written`: the tensor that the operator gives; empty where it takes those of `read`.
  Sketcher(const te::Program& program, std::string written, std::set<std::string> read)
      : program_(program),
        written_(std::move(written)),
        read_(std::move(read)),
        nest_of_(program.stages.size()) {}

  std::vector<SketchedNest> operator()(const std::vector<LoopNames::Stage>& names) {
    for (std::size_t i = 0; i < program_.stages.size(); ++i) {
      const te::Stage& stage = program_.stages[i];
      const auto sum = finished_by(program_, i);
      nest_of_[i] = sum ? nest_of_[*sum] : nests_.size();
      if (!sum) begin(stage, names[i].roles);
      SketchedNest& nest = nests_[nest_of_[i]];
      nest.tensor = names[i].tensor;
      walk(stage, nest);
    }
    return std::move(nests_);
  }

 private:
  void begin(const te::Stage& stage, const std::vector<std::string>& roles) {
    SketchedNest nest;
    for (const auto* axes : {&stage.axes, &stage.reduce_axes})
      for (const te::Axis& axis : *axes)
        nest.loops.push_back({roles[nest.loops.size()], expr::as_integer(axis.extent),
                              axes == &stage.reduce_axes, Walk::None});
    nests_.push_back(std::move(nest));
  }

  void walk(const te::Stage& stage, SketchedNest& nest) {
    if (stage.output.name == written_) {
      nest.touches = true;
      for (SketchedLoop& loop : nest.loops)
        loop.walk = loop.extent == 1 ? Walk::Once : loop.reduction ? Walk::Repeats : Walk::Elements;
    }
    auto loads = loads_of(stage.body);
    std::erase_if(loads, [&](const expr::Load& load) { return !read_.contains(load.buffer); });
    if (loads.empty()) return;
    nest.touches = true;
    for (const expr::Load& load : loads) {
      const bool in_order =
          !stage.reducer &&
          kind_of_read(stage, load, shape_of(program_, load.buffer)) <= PatternKind::Broadcast;
      std::size_t place = 0;
      for (const auto* axes : {&stage.axes, &stage.reduce_axes})
        for (const te::Axis& axis : *axes) {
          Walk& walk = nest.loops[place++].walk;
          walk = std::max(walk, walk_of_load(stage, load, axis, in_order));
        }
    }
    // The same elements, with a border or in other places: a convolution walks over what was
    // padded.
    if (!stage.reducer) read_.insert(stage.output.name);
  }

  const te::Program& program_;
  std::string written_;
  std::set<std::string> read_;
  std::vector<SketchedNest> nests_;
  std::vector<std::size_t> nest_of_;  // by stage
};

}  // namespace

LoopNames::LoopNames(const graph::Graph& graph, const std::vector<graph::NodeId>& nodes) {
  const auto kernel = kernel_program(graph, Group{{}, nodes, nodes.back(), {}});
  if (!kernel) return;  // each has its own
  const std::vector<Stage> stages = stages_of(kernel->program);
  for (std::size_t i = 0; i < stages.size(); ++i)
    for (const std::uint32_t source : kernel->program.stages[i].origin.sources)
      names_[graph::NodeId{source}].push_back(stages[i]);
}

std::vector<LoopNames::Stage> LoopNames::stages_of(const te::Program& program) {
  std::vector<Stage> stages;
  const auto roles = te::axis_roles(program);
  for (std::size_t i = 0; i < roles.size(); ++i)
    stages.push_back({program.stages[i].output.name, roles[i]});
  return stages;
}

std::vector<LoopNames::Stage> LoopNames::of(graph::NodeId node, const te::Program& program) const {
  const auto found = names_.find(node);
  // Behind an operator's own stages may stand copies of results that are its operands.
  if (found == names_.end() || found->second.size() < program.stages.size())
    return stages_of(program);
  return {found->second.begin(), found->second.begin() + std::ssize(program.stages)};
}

Result<std::vector<SketchedNest>> sketch(const graph::Graph& graph, graph::NodeId id,
                                         graph::ValueId value, const LoopNames& names) {
  const graph::Node& node = graph.node(id);
  if (is_opaque(node)) return std::unexpected(ops::opaque_reason(node.attributes));
  const te::Program program = TRY(graph::program_of(graph, node));
  const auto given = std::ranges::find(node.outputs, value);
  std::string written;
  if (given != node.outputs.end())
    written = program.outputs[static_cast<std::size_t>(given - node.outputs.begin())];
  return Sketcher(program, std::move(written),
                  operands(node, value, program))(names.of(id, program));
}

}  // namespace loopglass::fusion
