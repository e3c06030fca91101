// A sum whose initial value is set by a block of its own: where it may have no terms at all, as one
// over a symbolic axis, or once its reduction was decomposed.
#pragma once

#include "core/loop/func.h"

namespace loopglass::schedule {

// The block that sets what the sum goes on from: it and the sum are all that stores to the buffer,
// and it comes first. null: there is none such, or the block is no sum that goes on from another.
const loop::Block* initial_block_of(const loop::Func& func, const loop::Block& sum);
// The sum that goes on from what the block sets; null: none does.
const loop::Block* sum_begun_by(const loop::Func& func, const loop::Block& initial);

}  // namespace loopglass::schedule
