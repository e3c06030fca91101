// Folds a Pad into the pads of the operator that slides windows over its result.
//
//   y = Conv(Pad(x, 1 around the image), w)    =>    y = Conv(x, w) {pads = [1, 1, 1, 1]}
//
// Into Conv and LpPool zeros, into AveragePool zeros that count as elements, into MaxPool what no
// maximum can be: minus infinity, or zeros around elements that are never below zero. Before
// layouts are chosen, which know the pads of operators, not Pad.
#pragma once

#include "core/pass/runner.h"

namespace loopglass::passes {

Result<graph::Graph> fold_padding(const graph::Graph& graph, pass::Report& report);
pass::Words fold_padding_words();

}  // namespace loopglass::passes
