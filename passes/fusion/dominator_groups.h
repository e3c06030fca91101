// The groups of TVM's fusion: a union-find over vertices, the group's kind and size at its root. A
// vertex that has been merged into another keeps the kind it had then, and is judged by it.
#pragma once

#include "passes/fusion/dominator_graph.h"

namespace loopglass::passes {

class DominatorGroups {
 public:
  DominatorGroups(const DominatorGraph& graph, const fusion::BlockRules& rules,
                  const fusion::Constraints& constraints);

  // Joins what was asked for; PlanInvalid with the reason where it cannot be.
  Result<void> force();

  std::size_t root(std::size_t vertex) const;
  fusion::PatternKind own_kind(std::size_t vertex) const { return kind_[vertex]; }
  fusion::PatternKind kind(std::size_t vertex) const { return kind_[root(vertex)]; }
  // The vertex that gave the group a kind above Injective; none where nothing did.
  std::size_t anchor(std::size_t vertex) const { return anchor_[root(vertex)]; }
  // Vertices of all groups on the path together.
  std::size_t size_of(const std::vector<std::size_t>& path) const;

  // Why the groups on the path cannot be one kernel. What TVM's rules allow has no cycle and no
  // second anchor; a group that was forced can bring in both, and the lowering has limits of its
  // own.
  std::optional<fusion::Refusal> refuse(const std::vector<std::size_t>& path) const;
  // The same of a chain of rows, which has an anchor for each of its products and for its softmax.
  std::optional<fusion::Refusal> refuse_chain(const std::vector<std::size_t>& path) const;
  // Merges them into the group of the path's last vertex.
  void merge(const std::vector<std::size_t>& path);

 private:
  std::vector<std::size_t> roots_of(const std::vector<std::size_t>& path) const;
  std::vector<std::size_t> positions_of(const std::vector<std::size_t>& roots) const;  // ascending
  std::optional<fusion::Refusal> refuse_anchors(const std::vector<std::size_t>& roots) const;
  std::optional<fusion::Refusal> refuse_forbidden(const std::vector<std::size_t>& positions) const;
  std::optional<fusion::Refusal> refuse_cycle(const std::vector<std::size_t>& positions) const;
  void merge(std::size_t from, std::size_t into);

  const DominatorGraph& graph_;
  const fusion::BlockRules& rules_;
  const fusion::Constraints& constraints_;
  mutable std::vector<std::size_t> parent_;  // shortened as it is followed
  std::vector<fusion::PatternKind> kind_;
  std::vector<std::size_t> anchor_;
  std::vector<std::vector<std::size_t>> members_;  // at the root: positions in the graph, ascending
  std::vector<std::size_t> size_;                  // at the root: vertices, tuples among them
};

}  // namespace loopglass::passes
