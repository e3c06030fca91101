// Products of bytes in pairs of terms.
//
//   ConvInteger(x, w, x zero, w zero)    =>    PairedConvInteger(x, w', x zero)
//
// The same of QLinearConv, MatMulInteger and QLinearMatMul. Constant weights less their zero points
// fit into int16, two of which are one int32 of w'; the operator pairs the other operand as it
// copies it, and one instruction multiplies and adds two terms a lane (core/ops/paired_products.h).
// Sums are in int32 before and after, so that results are the same to the last bit.
#pragma once

#include "core/pass/runner.h"

namespace loopglass::passes {

Result<graph::Graph> pair_products(const graph::Graph& graph, pass::Report& report);
pass::Words pair_products_words();

}  // namespace loopglass::passes
