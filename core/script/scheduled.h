// A schedule and what it makes of the nest that it was written for.
#pragma once

#include "core/script/trace.h"

namespace loopglass::schedule {

struct Scheduled {
  Trace trace;
  loop::Func func;  // what replaying the trace ends with
};

}  // namespace loopglass::schedule
