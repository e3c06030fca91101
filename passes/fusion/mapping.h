// DNNFusion's fusion by mapping types (Niu et al., PLDI 2021): greedy growth from seeds.
//
// The seed is the one-to-one operator with the smallest result that is in no group yet. The group
// grows through its successors, then through its predecessors, as long as the table of combinations
// says so: always, never, or where the fused kernel costs no more than its parts. Beyond the paper,
// every merge is checked not to make kernels wait for one another in a circle.
#pragma once

#include "core/fusion/plan.h"

namespace loopglass::passes {

Result<fusion::Plan> fuse_by_mapping(const graph::Graph& graph, const fusion::PlanOptions& options);

}  // namespace loopglass::passes
