// 3 x 3 convolutions of stride one by Winograd's minimal filtering, as three ordinary operators.
//
//   y = Conv(x, w, b)    =>    v = WinogradInput(x); m = MatMul(v, w'); y = WinogradOutput(m, b)
//
// In the middle are (tile + 2)^2 matrix products of tiles by channels by filters, which together
// have 2.25 (tiles of 2 x 2) or 4 times (4 x 4) fewer multiplications than the convolution had; but
// what they read and write goes through memory, and the weights grow. It is done only where an
// estimate by the machine's rates says that it pays; a remark has the numbers either way, and the
// error that was measured with the layer's own weights.
//
// Off by default, since it rounds worse than a convolution does. After assign-layouts, whose choice
// of layouts it keeps.
#pragma once

#include "core/machine/machine.h"
#include "core/pass/runner.h"

namespace loopglass::passes {

// With tiles of 2 x 2 results.
Result<graph::Graph> winograd_f2(const graph::Graph& graph, pass::Report& report,
                                 const Machine& machine);
// With tiles of 4 x 4.
Result<graph::Graph> winograd_f4(const graph::Graph& graph, pass::Report& report,
                                 const Machine& machine);
// Of both.
pass::Words winograd_words();

}  // namespace loopglass::passes
