// Rounds the operand of products by weights of few bits to bytes, where the model lets who computes
// them do so (accuracy_level = 4 of MatMulNBits) and few rows are multiplied, or as many as there
// are where the machine multiplies bytes in fours.
//
//   MatMulNBits(A, B, scales, zeros)    =>    PackedFewBitProduct(PackedRounding(A), B', s', z')
//
// Products of the same A share its rounding. What is computed is core/ops/packed_few_bits.h; beside
// products in floats, results differ by what rounding to the 255 steps of a block's range comes to.
#pragma once

#include "core/machine/machine.h"
#include "core/pass/runner.h"

namespace loopglass::passes {

Result<graph::Graph> round_operands(const graph::Graph& graph, pass::Report& report,
                                    const Machine& machine);
pass::Words round_operands_words();

}  // namespace loopglass::passes
