// Products of dequantised bytes, as products of the bytes.
//
//   Conv(DequantizeLinear(x, s, z), DequantizeLinear(w, t, v), b)
//   =>  Cast(ConvInteger(x, w, z, v)) * (s * t) + b
//
// The same of MatMul and of Gemm. What tools for quantising write ("QDQ") is an operator of float32
// between operators that say which bytes it stands for. Sums of whole numbers are exact, where
// those in float32 round; everything behind them stays in float32, as the network has it. The
// scheme: B. Jacob et al., "Quantization and Training of Neural Networks for Efficient
// Integer-Arithmetic-Only Inference", CVPR 2018.
#pragma once

#include "core/pass/runner.h"

namespace loopglass::passes {

Result<graph::Graph> integer_products(const graph::Graph& graph, pass::Report& report);
pass::Words integer_products_words();

}  // namespace loopglass::passes
