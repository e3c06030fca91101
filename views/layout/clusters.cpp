#include "views/layout/clusters.h"

#include <algorithm>

namespace loopglass::layout {
namespace {

// Strongly connected components (Tarjan, 1972), by an explicit stack; a component number per node.
std::vector<int> components(std::size_t count, const std::vector<Edge>& edges) {
  std::vector<std::vector<std::uint32_t>> successors(count);
  for (const Edge& edge : edges) successors[edge.from].push_back(edge.to);
  std::vector<int> component(count, -1), index(count, -1), low(count);
  std::vector<std::uint32_t> open;
  struct Frame {
    std::uint32_t node;
    std::size_t next = 0;
  };
  int next_index = 0, next_component = 0;
  for (std::uint32_t root = 0; root < count; ++root) {
    if (index[root] >= 0) continue;
    std::vector<Frame> frames{{root}};
    index[root] = low[root] = next_index++;
    open.push_back(root);
    while (!frames.empty()) {
      Frame& frame = frames.back();
      const std::uint32_t node = frame.node;
      if (frame.next < successors[node].size()) {
        const std::uint32_t successor = successors[node][frame.next++];
        if (index[successor] < 0) {
          index[successor] = low[successor] = next_index++;
          open.push_back(successor);
          frames.push_back({successor});
        } else if (component[successor] < 0) {
          low[node] = std::min(low[node], index[successor]);
        }
        continue;
      }
      if (low[node] == index[node]) {
        for (std::uint32_t member = open.back();; member = open.back()) {
          open.pop_back();
          component[member] = next_component;
          if (member == node) break;
        }
        ++next_component;
      }
      frames.pop_back();
      if (!frames.empty()) low[frames.back().node] = std::min(low[frames.back().node], low[node]);
    }
  }
  return component;
}

}  // namespace

std::vector<bool> interleaved_clusters(const LayoutGraph& graph) {
  // Clusters first, then the nodes in none, each contracted to one vertex.
  const auto cluster_count = static_cast<std::size_t>(graph.clusters);
  std::vector<std::uint32_t> vertex(graph.nodes.size());
  std::size_t count = cluster_count;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    vertex[i] =
        static_cast<std::uint32_t>(graph.nodes[i].cluster >= 0 ? graph.nodes[i].cluster : count++);
  std::vector<Edge> contracted;
  for (const Edge& edge : graph.edges)
    if (vertex[edge.from] != vertex[edge.to])
      contracted.push_back({vertex[edge.from], vertex[edge.to]});
  const std::vector<int> component = components(count, contracted);
  std::vector<int> sizes(count);
  for (const int c : component) ++sizes[static_cast<std::size_t>(c)];
  std::vector<bool> interleaved(cluster_count);
  // A cycle lies in one component, so the clusters that are left are on none.
  for (std::size_t c = 0; c < cluster_count; ++c)
    interleaved[c] = sizes[static_cast<std::size_t>(component[c])] > 1;
  return interleaved;
}

}  // namespace loopglass::layout
