// Fourier transforms as products by constant matrices, and those of a signal's frames as a
// convolution, which run near the machine's peak; their definition asks for a cosine in every term.
//
//   STFT(signal, window)  =>  Reshape(Transpose(Conv(signal, window * waves)))
//   DFT(x)                =>  MatMul(x, waves)                                  short ones
//   DFT(x)                =>  MatMul(MatMul(x, waves of p) * turns, waves of q)  of length p * q
//
// The last takes p + q terms for each of p * q frequencies instead of p * q.
//
// Source: J. Cooley and J. Tukey, "An algorithm for the machine calculation of complex Fourier
// series", 1965.
#pragma once

#include "core/pass/runner.h"

namespace loopglass::passes {

Result<graph::Graph> fourier_products(const graph::Graph& graph, pass::Report& report);
pass::Words fourier_products_words();

}  // namespace loopglass::passes
