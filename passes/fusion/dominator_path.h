// All ways from a vertex to its post-dominator.
#pragma once

#include "passes/fusion/dominator_graph.h"

namespace loopglass::passes {

class PathFinder {
 public:
  explicit PathFinder(const DominatorGraph& graph) : graph_(graph), seen_(graph.size(), 0) {}

  // The vertices on any path from source to sink, each once: the source first, the sink last. Looks
  // at no more than `most` of them; what has more ends early, without the sink.
  std::vector<std::size_t> between(std::size_t source, std::size_t sink, std::size_t most);
  // Whether a path from `from` meets `goal` before it passes `sink`.
  bool leads_to(std::size_t from, std::size_t goal, std::size_t sink);

 private:
  // Marks are counted up instead of cleared, so a short path costs what its length is.
  bool mark(std::size_t vertex) { return std::exchange(seen_[vertex], mark_) != mark_; }

  const DominatorGraph& graph_;
  std::vector<std::uint32_t> seen_;
  std::uint32_t mark_ = 0;
  std::vector<std::size_t> stack_;
};

}  // namespace loopglass::passes
