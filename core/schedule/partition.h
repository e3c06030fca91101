// What loop_partition and a split with a peeled tail share: consecutive loops in place of one.
#pragma once

#include "core/loop/names.h"
#include "core/loop/path.h"

namespace loopglass::schedule {

// A run of a loop's iterations.
struct Part {
  std::string variable;  // of its own loop
  expr::Expr extent;
};

// The loop's parts in their order, which together are its iterations. The first has the statements
// that the loop had; the others have copies, whose loops, blocks and allocations have names of
// their own. Where a copy is sure to run after the first term of a sum it sets no initial value.
// ScheduleIllegal in the name of `call`: threads inside the loop have a buffer each, which the
// parts would have in common.
Result<loop::Func> partitioned(const std::string& call, const loop::Func& func,
                               const loop::Path& loop, const std::vector<Part>& parts,
                               loop::Names& names);

}  // namespace loopglass::schedule
