// What a fusion plan says of the edges of a graph: as marks on them, and in words.
#pragma once

#include "core/fusion/plan.h"
#include "views/canvas/content.h"

#include <memory>
#include <unordered_map>

namespace loopglass::views {

// The decisions of a plan by edge; holds the plan.
class EdgeVerdicts {
 public:
  EdgeVerdicts() = default;
  explicit EdgeVerdicts(std::shared_ptr<const fusion::Plan> plan);

  const std::shared_ptr<const fusion::Plan>& plan() const { return plan_; }
  // Null: the plan's graph has no such edge.
  const fusion::Decision* of(graph::ValueId value, graph::NodeId consumer) const;

 private:
  std::shared_ptr<const fusion::Plan> plan_;
  std::unordered_map<std::uint64_t, const fusion::Decision*> decisions_;
};

inline fusion::Edge edge_of(const fusion::Decision& decision) {
  return {decision.producer, decision.consumer};
}

// Fused edges are calm; an edge that is not says why by its code.
EdgeMark verdict_mark(const fusion::Decision& decision);
// Of a line between folded parts, which stands for several edges: where they have one verdict that,
// else that there are several.
EdgeMark verdict_mark(const std::vector<const fusion::Decision*>& decisions);
// "✓ 2 FUSED · ✕ 1 SECOND_ANCHOR", as rich text.
QString verdict_counts(const std::vector<const fusion::Decision*>& decisions);
// Of an edge whose verdict is not told yet.
EdgeMark hidden_mark();

// Of two plans: which of them fuse the edge.
enum class FusedBy : std::uint8_t { Neither, First, Second, Both };
FusedBy fused_by(const fusion::Decision* first, const fusion::Decision* second);
EdgeMark compared_mark(FusedBy which);

QString hidden_html();

}  // namespace loopglass::views
