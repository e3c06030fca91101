#include "passes/graph/fold_constants.h"

#include "passes/graph/constant_replacement.h"

#include <algorithm>

namespace loopglass::passes {

Result<graph::Graph> fold_constants(const graph::Graph& graph, pass::Report& report) {
  graph::GraphBuilder builder(graph);
  // Producers come first, so one sweep folds whole chains.
  for (const graph::NodePtr& original : graph.nodes()) {
    if (report.cancellation.requested())
      return fail(Code::Cancelled, "constant folding was cancelled");
    if (!report.may_rewrite()) break;
    const graph::Node& node = builder.node(original->id);
    const bool foldable =
        !node.inputs.empty() &&
        std::all_of(node.inputs.begin(), node.inputs.end(), [&](graph::ValueId input) {
          return !input || builder.value(input).is_constant();
        });
    if (!foldable) continue;
    std::vector<Tensor> inputs;
    for (const graph::ValueId input : node.inputs)
      inputs.push_back(input ? builder.value(input).constant : Tensor());
    replace_by_constants(builder, node.id, inputs, "constant-inputs", report);
  }
  builder.remove_unused_constants();
  return std::move(builder).finish();
}

pass::Words fold_constants_words() {
  return pass::joined({{pass::Word::Kind::Rule, "constant-inputs",
                        "An operator whose inputs are all constants is replaced by its result."}},
                      constant_replacement_words());
}

}  // namespace loopglass::passes
