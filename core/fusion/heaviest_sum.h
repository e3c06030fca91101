// What a program spends most of its arithmetic on: a kernel that a person wrote belongs to no
// family of operators that would tell.
#pragma once

#include "core/te/te.h"

namespace loopglass::fusion {

enum class HeaviestSum : std::uint8_t {
  Products,        // of two tensors, as of matrices
  WindowProducts,  // one of which is read in windows, as in a convolution
  Other            // other sums, or none
};
// Of the stage with most operations. Symbolic extents count as 1, as in te::flops.
HeaviestSum heaviest_sum(const te::Program& program);

}  // namespace loopglass::fusion
