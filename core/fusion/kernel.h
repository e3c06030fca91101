// A group as a computation: the tensor-expression program of its nodes, joined, and which graph
// values its parameters are.
#pragma once

#include "core/fusion/plan.h"
#include "core/te/te.h"

namespace loopglass::fusion {

struct KernelProgram {
  te::Program program;
  // The graph value of each program input and output, in order. Constants are inputs.
  std::vector<graph::ValueId> inputs, outputs;
  std::vector<bool> input_is_constant;
};

Result<KernelProgram> kernel_program(const graph::Graph& graph, const Group& group);

}  // namespace loopglass::fusion
