// TVM's rule-based fusion by post-dominators (src/relay/analysis/graph_partitioner.cc).
//
//   conv -> bias -> relu        =>  { conv bias relu }
//   relu -> conv                =>  { relu } { conv }      (the edge's kind is the convolution's)
//   conv -> add -> relu
//        \-> exp /              =>  { conv exp add relu }  (all paths to the post-dominator join)
//
// Every node may be merged, with all nodes on all paths, into the group of its immediate
// post-dominator, when the kinds met on the way allow it. Phase 0 takes what convolutions and other
// anchors can absorb, phase 1 adds injective chains, phase 2 producers of tuples.
#pragma once

#include "core/fusion/plan.h"

namespace loopglass::passes {

Result<fusion::Plan> fuse_by_dominators(const graph::Graph& graph, const fusion::PlanOptions& options);

}  // namespace loopglass::passes
