// The schedule a kernel gets when nobody says otherwise: elementwise producers inlined, the anchor
// tiled for registers with its constant operand packed, the epilogue computed in the tile, the
// outer loop parallel and the inner one vectorised. A trace like any other; nothing in codegen
// knows it.
#pragma once

#include "core/machine/machine.h"
#include "core/script/trace.h"

namespace loopglass::schedule {

struct Scheduled {
  Trace trace;
  loop::Func func;  // what replaying the trace ends with
};

// In time linear in the number of loop nests: each is scheduled with the few that it has to do
// with.
Result<Scheduled> schedule_by_default(const loop::Func& func, const Machine& machine);
Result<Trace> default_schedule(const loop::Func& func, const Machine& machine);

}  // namespace loopglass::schedule
