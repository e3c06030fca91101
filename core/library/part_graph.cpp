#include "core/library/part_graph.h"

#include <map>

namespace loopglass::library {

using graph::ValueId;

Result<PartGraph> part_graph(const graph::Graph& whole, const std::vector<graph::NodeId>& nodes,
                             std::vector<ValueId> outputs) {
  graph::GraphBuilder builder("part");
  std::map<ValueId, ValueId> inside;
  std::vector<ValueId> inputs;
  for (const graph::NodeId id : nodes) {
    const graph::Node& node = whole.node(id);
    std::vector<ValueId> operands;
    for (const ValueId input : node.inputs) {
      if (input && !inside.contains(input)) {
        const graph::Value& value = whole.value(input);
        if (value.is_constant()) {
          inside.emplace(input, builder.add_constant(value.name, value.constant));
        } else {
          inside.emplace(input, builder.add_input(value.name, value.type));
          inputs.push_back(input);
        }
      }
      operands.push_back(input ? inside.at(input) : ValueId());
    }
    std::vector<std::string> names;
    for (const ValueId output : node.outputs) names.push_back(whole.value(output).name);
    const auto made =
        TRY(builder.add_node(node.name, *node.op, std::move(operands), node.attributes,
                             node.outputs.size(), node.origin, std::move(names)));
    for (std::size_t o = 0; o < node.outputs.size(); ++o)
      inside.emplace(node.outputs[o], builder.output(made, o));
  }
  std::vector<ValueId> wanted;
  for (const ValueId output : outputs) wanted.push_back(inside.at(output));
  builder.set_outputs(std::move(wanted));
  graph::Graph part = TRY(std::move(builder).finish());
  return PartGraph{std::move(part), std::move(inputs), std::move(outputs)};
}

}  // namespace loopglass::library
