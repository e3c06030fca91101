// The phases of TVM's fusion (GraphPartitioner::RunFuse) and one of ours, with a reason for
// everything that they leave apart.
//
// Phase 0 gives convolutions and other anchors what follows them, and joins elementwise chains.
// Phase 1 adds Injective operators, so that these do not come between an anchor and what follows
// it. Phase 2 puts producers in front of tuples that went into a kernel in phase 1.
//
// Ours differs from the source in four things. A phase 3 joins attention's products and the softmax
// between them, where a kernel of their own for each would hand on more than caches hold
// (fusion::RowChain). The depth limit counts the vertices of the groups
// that would become one; TVM counts a vertex again for each group that it was merged through, so
// its kernels of many branches can end before the limit. max_function_args is a property of TVM's
// targets, and CPUs have none; what a kernel may read here is BlockLimits::inputs. And every merge
// has to be one that the lowering has a kernel for (BlockRules).
#pragma once

#include "core/fusion/join_history.h"
#include "passes/fusion/dominator_groups.h"
#include "passes/fusion/dominator_path.h"

namespace loopglass::passes {

class DominatorPhases {
 public:
  static constexpr std::size_t maximum_depth = 256;
  static constexpr int phases = 4;

  DominatorPhases(const DominatorGraph& graph, DominatorGroups& groups,
                  std::vector<fusion::PlanEvent>* events)
      : graph_(graph),
        groups_(groups),
        events_(events),
        path_finder_(graph),
        verdicts_(graph.size()),
        history_(graph.size()) {}

  // What the groups hold already, as was asked for.
  void begin_with(const std::set<fusion::Edge>& forced);
  void run(int phase);
  // Of an edge whose ends are in one group: the merge that brought them there.
  fusion::Refusal why(std::size_t producer, std::size_t consumer) const;
  // After all phases, of an edge whose ends are in two groups; both are vertices.
  fusion::Refusal why_not(std::size_t producer, std::size_t consumer);

 private:
  using Kind = fusion::PatternKind;
  static constexpr std::size_t none = DominatorGraph::none;

  // Of a vertex towards its post-dominator; the last phase that considered it speaks.
  struct Verdict {
    fusion::Refusal refusal;
    std::size_t obstacle = none;     // the vertex on the path that is in the way
    std::size_t edge_source = none;  // with an edge that is in the way: where it comes from
  };
  // What a rule asks of every group on the path; in words for the condition that is shown.
  struct Condition {
    Kind between, at_sink;
    std::string words() const;
  };

  void consider(std::size_t vertex, int phase);
  void consider_chain(const fusion::RowChain& chain);
  void consider_anchor(std::size_t vertex, const std::vector<std::size_t>& path);
  void consider_elementwise(std::size_t vertex, const std::vector<std::size_t>& path);
  // Merges the path when every group on it satisfies the condition. `edges`: what the rule asks of
  // the kinds that the edges on the way join to, which has been found so; empty: nothing.
  void merge_if(const Condition& condition, const std::string& edges,
                const std::vector<std::size_t>& path);
  void merge(const std::vector<std::size_t>& path, fusion::Refusal why);
  fusion::Refusal passed(const Condition& condition, const std::string& edges,
                         const std::vector<std::size_t>& path) const;
  // Of a chain of rows by itself: Fused, or why it is not worth bands.
  fusion::Refusal verdict_on_bands(const fusion::RowChain& chain) const;
  Verdict blocked(std::size_t obstacle, const Condition& condition,
                  const std::vector<std::size_t>& path) const;

  bool refuse_without_sink(std::size_t vertex, int phase);
  bool has_turn(std::size_t vertex,
                int phase) const;  // the phase may change what was said of it before
  bool refuse_by_kind(std::size_t vertex);
  // The edge on the path that makes its joined kind more than `most`.
  Verdict refused_edge(Kind most, const std::string& condition,
                       const std::vector<std::size_t>& path) const;
  // What the reader does that the rule does not allow, of an edge to another anchor or an operator
  // that sums, or from an anchor.
  fusion::Refusal refused_read(std::size_t source, std::size_t sink, std::size_t from,
                               const DominatorGraph::Edge& edge) const;
  void refuse(std::size_t vertex, Verdict verdict);

  // Of an edge to an operator on the way to a tuple that does not take the producer in.
  fusion::Refusal before_tuple(std::size_t producer, std::size_t consumer,
                               fusion::Refusal refusal) const;

  const std::string& operator_name(std::size_t vertex) const;  // of a tuple: who reads it
  std::string in_its_kernel(std::size_t vertex) const;         // "relu1 (in the kernel of conv1)"
  std::string with_kind(std::size_t vertex) const;             // "conv1 is OutElementwiseFusable"
  std::string moves_layout(std::size_t vertex) const;  // " It moves the elements from ...", or ""
  std::string two_anchors(std::size_t one, std::size_t other) const;
  void record(fusion::PlanEvent::Kind kind, const std::vector<std::size_t>& vertices,
              fusion::Refusal what, std::size_t other = none) const;

  const DominatorGraph& graph_;
  DominatorGroups& groups_;
  std::vector<fusion::PlanEvent>* events_;
  PathFinder path_finder_;
  int phase_ = 0;
  std::vector<Verdict> verdicts_;
  std::vector<fusion::Refusal> merges_;  // why they were made
  fusion::JoinHistory history_;          // of vertices, by index into merges_
};

}  // namespace loopglass::passes
