// Sessions on graphs that stand in no file.
#pragma once

#include "core/session.h"
#include "passes/pipeline.h"

namespace loopglass {

// As if it had been imported, operator by operator.
inline onnx::Model model_of(graph::Graph graph) {
  onnx::Model model{std::move(graph), {}, {}, {}, {}, {}, 13, "test"};
  for (const graph::NodePtr& node : model.graph.nodes()) model.onnx_nodes.push_back(node->name);
  return model;
}

inline std::unique_ptr<Session> session_on(graph::Graph graph, SessionOptions options = {},
                                           Toolchain toolchain = passes::toolchain()) {
  auto session = std::make_unique<Session>(std::move(toolchain), std::move(options));
  std::string name = graph.name();
  session->open(model_of(std::move(graph)), name);
  return session;
}

}  // namespace loopglass
