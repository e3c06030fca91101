// Weights of few bits stand as bytes where few rows are multiplied by them, as floats where many
// are.
//
//   MatMul(A, DequantizeLinear(B, scale, zero))    =>    MatMulNBits(A, B', scales, zeros)
//   MatMulNBits(A, B, scales, zeros)               =>    MatMul(A, B')
//
// The first of few rows, for Gemm as well and with a Transpose in between; the second of many.
// Constant folding would make floats of all: four or eight times the bytes, for which a product of
// few rows waits. One of many rows has each weight in registers or caches often, where a float is
// widened once.
#pragma once

#include "core/pass/runner.h"

namespace loopglass::passes {

Result<graph::Graph> narrow_weights(const graph::Graph& graph, pass::Report& report);
pass::Words narrow_weights_words();

}  // namespace loopglass::passes
