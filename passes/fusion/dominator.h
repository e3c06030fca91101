// TVM's rule-based fusion by post-dominators (src/relay/analysis/graph_partitioner.cc).
//
//   conv -> bias -> relu        =>  { conv bias relu }
//   relu -> conv                =>  { relu } { conv }      (the edge's kind is the convolution's)
//   conv -> add -> relu
//        \-> exp /              =>  { conv exp add relu }  (all paths to the post-dominator join)
//
// Every operator may be merged, with all operators on all paths, into the group of its immediate
// post-dominator, when the kinds met on the way allow it:
//
//   dominator_graph    edges with kinds, and the post-dominator tree
//   dominator_path     all that lies between an operator and its post-dominator
//   dominator_groups   what was merged, and what may not be
//   dominator_phases   the rules, in TVM's three phases and one of ours
//
// What was forced comes first, and the rules go on from there.
#pragma once

#include "core/fusion/plan.h"

namespace loopglass::passes {

Result<fusion::Plan> fuse_by_dominators(const graph::Graph& graph,
                                        const fusion::PlanOptions& options);

}  // namespace loopglass::passes
