// What a library can compute of a kernel: its convolution or matrix product and, as far as the
// library has them, the elementwise operators that follow it in the kernel.
#pragma once

#include "core/fusion/plan.h"
#include "core/library/computation.h"

#include <map>
#include <string>

namespace loopglass::library {

struct KernelPart {
  Computation computation;
  // Values of the graph. `bias` is invalid where there is none.
  graph::ValueId source, weights, bias, result;
  std::vector<graph::ValueId> operands;  // of the combinations, in order
  // Weights as the computation has them: constants lie in row-major order there.
  Tensor constant_weights;
  std::vector<graph::NodeId> taken;  // operators, the anchor first
  // Operators of the kernel before the anchor, and those behind what is taken.
  std::vector<graph::NodeId> before, behind;

  // Whether the library computes all that the kernel does.
  bool is_whole() const { return before.empty() && behind.empty(); }
};

// Names of the operators of the kernel that the library does not compute.
std::vector<std::string> left_out(const graph::Graph& graph, const KernelPart& part);

// Whether the group has a convolution or a product at all.
bool has_anchor(const graph::Graph& graph, const fusion::Group& group);
// LibraryRefused with the reason: another element type, several anchors, attributes that no
// library has.
Result<KernelPart> part_of(const graph::Graph& graph, const fusion::Group& group);

// All values that these operators make, by the reference interpreter; `known` has what they read
// beside constants.
Result<std::map<graph::ValueId, Tensor>> evaluate(const graph::Graph& graph,
                                                  const std::vector<graph::NodeId>& nodes,
                                                  const std::map<graph::ValueId, Tensor>& known);

}  // namespace loopglass::library
