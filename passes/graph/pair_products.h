// Products of bytes in pairs of terms, or in fours where the machine has an instruction for them.
//
//   ConvInteger(x, w, x zero, w zero)    =>    PairedConvInteger(x, w', x zero)
//                                        or    QuadConvInteger(x, w', x zero, sums)
//
// The same of QLinearConv, MatMulInteger and QLinearMatMul. Constant weights less their zero points
// fit into int16, two of which are one int32 of w', and mostly into int8, four of which are; the
// operator packs the other operand as it copies it, and one instruction multiplies and adds the
// terms of a lane (core/ops/packed_products.h). Sums are in int32 before and after, so that results
// are the same to the last bit.
#pragma once

#include "core/machine/machine.h"
#include "core/pass/runner.h"

namespace loopglass::passes {

Result<graph::Graph> pair_products(const graph::Graph& graph, pass::Report& report,
                                   const Machine& machine);
pass::Words pair_products_words();

}  // namespace loopglass::passes
