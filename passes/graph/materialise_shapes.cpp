#include "passes/graph/materialise_shapes.h"

#include "core/graph/program.h"
#include "core/ops/reads_data.h"
#include "passes/graph/constant_replacement.h"

#include <algorithm>
#include <unordered_set>

namespace loopglass::passes {

namespace {

bool ignores_data(const graph::GraphBuilder& builder, const graph::Node& node) {
  if (node.op->family != ops::Family::Generator) return false;
  const auto program = program_of(builder, node);
  return program && !ops::reads_data(*program);
}

}  // namespace

Result<graph::Graph> materialise_shapes(const graph::Graph& graph, pass::Report& report) {
  graph::GraphBuilder builder(graph);
  std::unordered_set<graph::ValueId> from_shapes;  // constants that this pass has made
  for (const graph::NodePtr& original : graph.nodes()) {
    if (report.cancellation.requested())
      return fail(Code::Cancelled, "materialising shapes was cancelled");
    if (!report.may_rewrite()) break;
    // An operand may have become a constant already.
    const graph::Node& node = builder.node(original->id);
    const bool ignores = ignores_data(builder, node);
    const auto known = [&](graph::ValueId input) {
      return !input || builder.value(input).is_constant();
    };
    const auto made_here = [&](graph::ValueId input) { return from_shapes.contains(input); };
    if (!ignores &&
        !(std::ranges::any_of(node.inputs, made_here) && std::ranges::all_of(node.inputs, known)))
      continue;
    std::vector<Tensor> inputs;
    for (const graph::ValueId input : node.inputs)
      // Where the data is never read, only the types count.
      inputs.push_back(!input    ? Tensor()
                       : ignores ? Tensor(builder.value(input).type)
                                 : builder.value(input).constant);
    const auto made = replace_by_constants(
        builder, node.id, inputs, ignores ? "shape-to-constant" : "follows-from-shapes", report);
    from_shapes.insert(made.begin(), made.end());
  }
  builder.remove_unused_constants();
  return std::move(builder).finish();
}

pass::Words materialise_shapes_words() {
  return pass::joined(
      {{pass::Word::Kind::Rule, "shape-to-constant",
        "An operator that asks for a shape is replaced by the shape, which is known."},
       {pass::Word::Kind::Rule, "follows-from-shapes",
        "An operator that computes with shapes alone is replaced by its result."}},
      constant_replacement_words());
}

}  // namespace loopglass::passes
