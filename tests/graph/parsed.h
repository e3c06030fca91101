// Graphs as tests write them: text that must be a graph, and graphs of the lines between the
// braces.
#pragma once

#include "core/graph/text.h"

#include <stdexcept>

namespace loopglass::test {

inline graph::Graph parsed(std::string_view text) {
  auto graph = graph::parse(text);
  if (!graph) throw std::invalid_argument(to_string(graph.error()));
  return *std::move(graph);
}

inline graph::Graph graph_of(const std::string& lines) {
  return parsed("graph \"g\" {\n" + lines + "\n}\n");
}

}  // namespace loopglass::test
