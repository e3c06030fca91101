#include "passes/graph/remove_identities.h"

#include <algorithm>
#include <fmt/format.h>

namespace loopglass::passes {

namespace {

// Whether `name` is the operator's first input, followed through stages that copy element by element.
bool is_copy_of_first_input(const te::Program& program, std::string name) {
  while (const te::Stage* stage = program.stage(name)) {
    const auto* load = stage->body.as<expr::Load>();
    if (stage->reducer || load == nullptr || load->indices.size() != stage->axes.size()) return false;
    for (std::size_t i = 0; i < load->indices.size(); ++i) {
      const auto* variable = load->indices[i].as<expr::Variable>();
      if (variable == nullptr || variable->name != stage->axes[i].name) return false;
    }
    name = load->buffer;
  }
  return !program.inputs.empty() && name == program.inputs.front().name;
}

bool is_identity(const graph::GraphBuilder& builder, const graph::Node& node) {
  if (node.inputs.empty() || !node.inputs.front()) return false;
  std::vector<const TensorType*> inputs;
  std::vector<TensorType> outputs;
  for (const graph::ValueId input : node.inputs) inputs.push_back(input ? &builder.value(input).type : nullptr);
  for (const graph::ValueId output : node.outputs) outputs.push_back(builder.value(output).type);
  if (outputs.front() != *inputs.front()) return false;
  // Further results (Dropout's mask) must be unused.
  for (std::size_t i = 1; i < node.outputs.size(); ++i)
    if (builder.is_used(node.outputs[i])) return false;
  const auto program = ops::program_of(*node.op, inputs, node.attributes, outputs);
  return program && is_copy_of_first_input(*program, program->outputs.front());
}

}  // namespace

Result<graph::Graph> remove_identities(const graph::Graph& graph, pass::Report& report) {
  graph::GraphBuilder builder(graph);
  for (const graph::NodePtr& original : graph.nodes()) {
    if (!report.may_rewrite()) break;
    const graph::Node node = builder.node(original->id);
    if (!is_identity(builder, node)) continue;
    if (!builder.can_replace(node.outputs.front(), node.inputs.front())) {
      report.remark({pass::RemarkKind::Missed, "IDENTITY_AT_INTERFACE", node.name, {},
                     fmt::format("{} copies, but joins two ends of the network's interface.", node.name)});
      continue;
    }
    builder.replace_uses(node.outputs.front(), node.inputs.front());
    builder.remove_node(node.id);
    report.rewrite({"identity", {node.id.value}, {}, fmt::format("{} ({}) changes nothing", node.name, node.op->name)});
  }
  return std::move(builder).finish();
}

}  // namespace loopglass::passes
