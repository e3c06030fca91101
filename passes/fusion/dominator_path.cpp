#include "passes/fusion/dominator_path.h"

#include <ranges>

namespace loopglass::passes {

std::vector<std::size_t> PathFinder::between(std::size_t source, std::size_t sink,
                                             std::size_t most) {
  ++mark_;
  std::vector<std::size_t> path;
  stack_.assign(1, source);
  while (!stack_.empty()) {
    const std::size_t vertex = stack_.back();
    stack_.pop_back();
    if (vertex == sink || !mark(vertex)) continue;
    path.push_back(vertex);
    if (path.size() > most) return path;
    for (const DominatorGraph::Edge& edge : graph_.edges(vertex) | std::views::reverse)
      stack_.push_back(edge.consumer);
  }
  path.push_back(sink);
  return path;
}

bool PathFinder::leads_to(std::size_t from, std::size_t goal, std::size_t sink) {
  ++mark_;
  stack_.assign(1, from);
  while (!stack_.empty()) {
    const std::size_t vertex = stack_.back();
    stack_.pop_back();
    if (vertex == goal) return true;
    if (vertex == sink || !mark(vertex)) continue;
    for (const DominatorGraph::Edge& edge : graph_.edges(vertex)) stack_.push_back(edge.consumer);
  }
  return false;
}

}  // namespace loopglass::passes
