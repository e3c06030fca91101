// TVM's FuseOps written down once more, after src/relay/transforms/fuse_ops.cc and
// src/relay/analysis/graph_partitioner.cc, with none of this project's fusion in it: which
// operators TVM would make one kernel of. Without the limit on the depth.
#pragma once

#include "core/graph/graph.h"
#include "core/ops/pattern_kind.h"

#include <functional>

namespace loopglass::test {

struct RelayOperator {
  ops::PatternKind kind;
  bool takes_tuple = false;
};

// The root of each node's group, by position in graph.nodes(); equal: one kernel.
std::vector<int> tvm_groups(const graph::Graph& graph,
                            const std::function<RelayOperator(const graph::Node&)>& operator_of);

}  // namespace loopglass::test
