// Breakpoints on fusion: the nodes of a plan's groups, which is where `fuse` breakpoints hit.
#pragma once

#include "core/fusion/plan.h"
#include "core/pass/breakpoints.h"

namespace loopglass::fusion {

struct FuseHit {
  std::size_t breakpoint = 0;  // index of the list asked with
  graph::NodeId node;
  GroupId group;
  std::string sentence;  // "relu1 goes into the kernel fused_conv_relu with conv1"
};

// In the order of the groups. `nodes` lets watchpoints follow their node to the plan's graph; null:
// they look for its name there.
std::vector<FuseHit> fuse_hits(const Plan& plan, const graph::Graph& graph,
                               const std::vector<pass::Breakpoint>& breakpoints,
                               const pass::NodeHistory* nodes = nullptr);

}  // namespace loopglass::fusion
