// How much arithmetic a program does.
#pragma once

#include "core/te/te.h"

namespace loopglass::te {

// Arithmetic operations of one run: every operator in a body counts one per element (per iteration
// for reductions), plus one to combine; so a matrix product counts 2 * M * N * K. Index arithmetic,
// comparisons, selects and casts count nothing. Symbolic extents count as 1.
std::int64_t flops(const Program& program);

}  // namespace loopglass::te
