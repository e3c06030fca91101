// What a model gives for these inputs, node by node.
#pragma once

#include "tests/onnx/proto_model.h"

namespace loopglass::onnx {

inline std::vector<float> floats(const Tensor& tensor) {
  return {tensor.as<float>().begin(), tensor.as<float>().end()};
}

// One tensor an output; fails the test where the model is refused or something of it is opaque.
inline std::vector<Tensor> computed(const ProtoModel& proto,
                                    const std::map<std::string, Tensor>& inputs) {
  const auto model = proto.import();
  if (!model) {
    ADD_FAILURE() << to_string(model.error());
    return {};
  }
  std::map<graph::ValueId, Tensor> values;
  const graph::Graph& graph = model->graph;
  for (const graph::ValueId id : graph.inputs()) values[id] = inputs.at(graph.value(id).name);
  const auto value_of = [&](graph::ValueId id) {
    if (!id) return Tensor();
    return graph.value(id).is_constant() ? graph.value(id).constant : values.at(id);
  };
  for (const graph::NodePtr& node : graph.nodes()) {
    std::vector<Tensor> operands;
    for (const graph::ValueId id : node->inputs) operands.push_back(value_of(id));
    auto results = is_opaque(*node) ? Result<std::vector<Tensor>>(fail(Code::OperatorUnsupported,
                                                                       node->name + " is opaque"))
                                    : loop::evaluate(*node->op, node->attributes, operands,
                                                     node->outputs.size());
    if (!results) {
      ADD_FAILURE() << to_string(results.error());
      return {};
    }
    for (std::size_t i = 0; i < results->size(); ++i)
      values[node->outputs[i]] = std::move((*results)[i]);
  }
  std::vector<Tensor> outputs;
  for (const graph::ValueId id : graph.outputs()) outputs.push_back(value_of(id));
  return outputs;
}

}  // namespace loopglass::onnx
