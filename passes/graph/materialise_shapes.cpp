#include "passes/graph/materialise_shapes.h"

#include "core/expr/rewrite.h"
#include "passes/graph/constant_replacement.h"

#include <algorithm>

namespace loopglass::passes {

namespace {

// True when no stage reads an input of the operator.
bool ignores_data(const graph::GraphBuilder& builder, const graph::Node& node) {
  std::vector<const TensorType*> inputs;
  std::vector<TensorType> outputs;
  for (const graph::ValueId input : node.inputs) inputs.push_back(input ? &builder.value(input).type : nullptr);
  for (const graph::ValueId output : node.outputs) outputs.push_back(builder.value(output).type);
  const auto program = ops::program_of(*node.op, inputs, node.attributes, outputs);
  if (!program) return false;
  const auto is_input = [&](const std::string& name) {
    return std::any_of(program->inputs.begin(), program->inputs.end(), [&](const te::Tensor& t) { return t.name == name; });
  };
  if (std::any_of(program->outputs.begin(), program->outputs.end(), is_input)) return false;
  bool reads = false;
  for (const te::Stage& stage : program->stages)
    expr::visit(stage.body, [&](const expr::Expr& e) {
      if (const auto* load = e.as<expr::Load>()) reads = reads || is_input(load->buffer);
    });
  return !reads;
}

}  // namespace

Result<graph::Graph> materialise_shapes(const graph::Graph& graph, pass::Report& report) {
  graph::GraphBuilder builder(graph);
  for (const graph::NodePtr& original : graph.nodes()) {
    if (!report.may_rewrite()) break;
    // An operand may have become a constant already.
    const graph::Node node = builder.node(original->id);
    if (node.op->family != ops::Family::Generator || !ignores_data(builder, node)) continue;
    // The data is never read; only the types count.
    std::vector<Tensor> inputs;
    for (const graph::ValueId input : node.inputs)
      inputs.push_back(input ? Tensor(builder.value(input).type) : Tensor());
    replace_by_constants(builder, node.id, inputs, "shape-to-constant", report);
  }
  builder.remove_unused_constants();
  return std::move(builder).finish();
}

}  // namespace loopglass::passes
