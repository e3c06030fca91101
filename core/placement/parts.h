// A kernel's program without the parts of its results that are written already.
#pragma once

#include "core/fusion/kernel.h"
#include "core/te/copies.h"

#include <map>
#include <optional>

namespace loopglass::placement {

using te::Box;

struct Part {
  Box box;
  Shape memory;  // the shape of the memory from the box's first element on
};

// What is left of one output to compute.
struct Remainder {
  bool whole = true;
  std::optional<Shape> memory;  // of the whole, where that is not its own shape
  std::vector<Part> parts;      // otherwise
};

// `outputs`: one per output of the kernel. `inputs`: the shapes of the memory of some inputs.
// Outputs of the result are in the order of the remainders and their parts, the same value several
// times where it comes in parts; inputs that nothing reads any more are left out.
fusion::KernelProgram remaining_kernel(const fusion::KernelProgram& kernel,
                                       const std::vector<Remainder>& outputs,
                                       const std::map<std::size_t, Shape>& inputs);

}  // namespace loopglass::placement
