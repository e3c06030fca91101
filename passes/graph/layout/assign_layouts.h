// In which order the dimensions of images lie in memory, operator by operator.
//
//   c = Conv(x, w)        c' = LayoutConv(x, w') {layout NCHW, result NCHW32c}
//   r = Relu(c)      ->   r' = Relu(c')
//   d = Conv(r, v)        d  = LayoutConv(r', v') {layout NCHW32c, result NCHW}
//
// A convolution reads and writes in any layout; elementwise operators, pooling, batch normalisation
// and concatenation work in that of their images. Weights and other constants are arranged here and
// now. Comes after every pass that looks for operators by name, since those it moves bear another.
#pragma once

#include "core/machine/machine.h"
#include "core/pass/runner.h"

namespace loopglass::passes {

// By the time that the machine is estimated to take, transforms included (layout/assignment.h).
Result<graph::Graph> assign_layouts(const graph::Graph& graph, pass::Report& report,
                                    const Machine& machine);
// Channels last, or in blocks of sixteen, wherever that is possible: to see and to compare.
Result<graph::Graph> layout_nhwc(const graph::Graph& graph, pass::Report& report,
                                 const Machine& machine);
Result<graph::Graph> layout_blocked(const graph::Graph& graph, pass::Report& report,
                                    const Machine& machine);
// Of all three.
pass::Words layout_words();

}  // namespace loopglass::passes
