// Transposed convolutions as convolutions of more filters, whose channels become pixels: without
// the zeros between elements.
//
//   ConvTranspose(x, w)  =>  Slice(Reshape(Transpose(Reshape(Conv(x, w')))))
//
// Results whose places, with the pad, leave the same remainder by the stride see the same elements
// of the kernel: a phase. All phases of as many taps are filters of one convolution at the
// resolution of x; where the stride does not divide the kernel there are two kinds along an axis,
// whose results are put side by side. Every result sums the same products in the same order as
// before, less those with zeros, which are no numbers where weights are infinite.
//
// Source: W. Shi and others, "Is the deconvolution layer the same as a convolutional layer?", 2016.
#pragma once

#include "core/pass/runner.h"

namespace loopglass::passes {

Result<graph::Graph> subpixel_convolution(const graph::Graph& graph, pass::Report& report);
pass::Words subpixel_convolution_words();

}  // namespace loopglass::passes
