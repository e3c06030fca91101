// What a nest does as it is compiled, after all loop passes: operations, and bytes that the
// processor asks of the first cache.
//
// Counted exactly where conditions are on loops: a branch that is not taken does nothing, and under
// a condition that differs from lane to lane all lanes compute. What is unrolled loads each place
// once, and what is the same in each turn of an innermost loop is loaded before it, as machine code
// has it. Stores go beside the loads of a cycle, and are not counted.
#pragma once

#include "core/loop/func.h"
#include "core/machine/machine.h"

namespace loopglass::roofline {

struct Work {
  double flops = 0;         // as te/flops.h counts them
  double loaded_bytes = 0;  // from buffers that are memory
};
// `lowered`: without symbols. Of a branch that hangs on what is loaded, the costlier side.
Work work_of(const loop::Func& lowered);

}  // namespace loopglass::roofline
