// Blocks that copy with a border around.
#pragma once

#include "core/loop/func.h"

#include <string>

namespace loopglass::schedule {

struct Padding {
  const loop::Store* store;  // the block's
  expr::Expr inside, value, border;
};

// What a block stores that stores select(inside, a value, a number), each element in one iteration,
// and is the only one to; otherwise ScheduleIllegal in the name of `call`.
Result<Padding> padding_of(const std::string& call, const loop::Func& func,
                           const loop::Block& block);

}  // namespace loopglass::schedule
