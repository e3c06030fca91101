// A group as a computation: the tensor-expression program of its nodes, joined, and which graph
// values its parameters are.
#pragma once

#include "core/fusion/plan.h"
#include "core/loop/func.h"
#include "core/te/te.h"

namespace loopglass::fusion {

struct KernelProgram {
  te::Program program;
  // The graph value of each program input and output, in order. Constants are inputs.
  std::vector<graph::ValueId> inputs, outputs;
  std::vector<bool> input_is_constant;
  // Of constants whether that is known, where it is of use: in a kernel that reads beyond a border.
  std::vector<bool> input_is_finite = {};
  // Of the program's symbols, in order.
  std::vector<std::int64_t> extents = {};
  // Where the kernel was written as a loop nest: the nest, of which the program has only the inputs
  // and the names of the outputs.
  std::optional<loop::Func> nest = {};
};

Result<KernelProgram> kernel_program(const graph::Graph& graph, const Group& group);
// The loop nest that a schedule begins with.
loop::Func initial_nest(const KernelProgram& kernel, const std::string& name);

// What is left of a kernel that has no program (an opaque operator): what it reads and what it
// gives.
KernelProgram interface_of(const graph::Graph& graph, const Group& group);
inline bool is_missing(const KernelProgram& kernel) {
  return kernel.program.outputs.empty() && !kernel.outputs.empty();
}

}  // namespace loopglass::fusion
