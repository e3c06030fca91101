// Networks with opaque operators in them, and how to run what lies around those.
#pragma once

#include "core/graph/graph.h"
#include "core/loop/interpreter.h"
#include "core/ops/opaque.h"
#include "core/runtime/executor.h"

#include <map>
#include <random>
#include <stdexcept>

namespace loopglass::test {

inline ops::OpaqueOperator opaque_operator(std::string domain, std::string name,
                                           std::vector<TensorType> types) {
  const std::string what = "operator '" + name + "' is not supported";
  return {std::move(domain), std::move(name), 1, {}, {}, {Code::OperatorUnsupported, what, {}, {}},
          std::move(types)};
}

// The same network with one in `odds` of its operators replaced by one that is not known, of the
// same operands and results.
inline graph::Graph with_opaque_operators(const graph::Graph& network, std::uint32_t seed,
                                          int odds) {
  std::mt19937 random(seed);
  graph::GraphBuilder builder(network);
  for (const graph::NodePtr& node : network.nodes()) {
    if (static_cast<int>(random() % static_cast<unsigned>(odds)) != 0) continue;
    std::vector<TensorType> types;
    for (const graph::ValueId id : node->outputs) types.push_back(builder.value(id).type);
    const bool custom = random() % 2 == 0;
    const auto opaque = builder.add_node(
        node->name + "?", ops::opaque_operator(), builder.node(node->id).inputs,
        ops::opaque_attributes(opaque_operator(custom ? "com.acme" : "", node->op->name, types)),
        node->outputs.size(), node->origin);
    if (!opaque) throw std::logic_error(to_string(opaque.error()));
    for (std::size_t i = 0; i < node->outputs.size(); ++i)
      builder.replace_uses(node->outputs[i], builder.output(*opaque, i));
    builder.remove_node(node->id);
  }
  auto made = std::move(builder).finish();
  if (!made) throw std::logic_error(to_string(made.error()));
  return *std::move(made);
}

// What goes into the opaque operators, and what the network gives, with random numbers in the place
// of what the opaque operators give.
struct AroundOpaque {
  std::map<std::string, std::vector<Tensor>> operands;  // by the opaque operator's name
  std::vector<Tensor> results;
};

inline AroundOpaque run_around_opaque(const graph::Graph& graph,
                                      const std::vector<Tensor>& inputs) {
  AroundOpaque found;
  std::map<graph::ValueId, Tensor> values;
  for (std::size_t i = 0; i < inputs.size(); ++i) values[graph.inputs()[i]] = inputs[i];
  for (const graph::ValuePtr& value : graph.values())
    if (value->is_constant()) values[value->id] = value->constant;
  for (const graph::NodePtr& node : graph.nodes()) {
    std::vector<Tensor> operands;
    for (const graph::ValueId id : node->inputs) operands.push_back(id ? values.at(id) : Tensor());
    std::vector<Tensor> results;
    if (is_opaque(*node)) {
      found.operands[node->name] = operands;
      for (const graph::ValueId id : node->outputs)
        results.push_back(runtime::stand_in_for(graph.value(id)));
    } else {
      auto computed = loop::evaluate(*node->op, node->attributes, operands, node->outputs.size());
      if (!computed) throw std::logic_error(to_string(computed.error()));
      results = *std::move(computed);
    }
    for (std::size_t i = 0; i < results.size(); ++i) values[node->outputs[i]] = results[i];
  }
  for (const graph::ValueId id : graph.outputs()) found.results.push_back(values.at(id));
  return found;
}

}  // namespace loopglass::test
