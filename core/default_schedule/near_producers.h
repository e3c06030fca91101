// Elementwise stages that one other stage alone reads, and that are more than the second cache
// holds: each iteration of the reader's outermost loop makes the part that it reads. So rows of an
// image that is resized along two axes, or resized and brought into another layout, stay near
// between the stages, and the whole never goes to memory. (64 channels to 512 x 512 pixels, turned:
// 34 ms where each stage is made as a whole, 12 row by row.)
#pragma once

#include "core/default_schedule/draft.h"
#include "core/loop/func.h"
#include "core/machine/machine.h"

#include <string>

namespace loopglass::schedule {

// Whether what the stage makes is more than the second cache holds.
bool is_far(const loop::Block& stage, const Machine& machine);

// Moves the producer inside the consumer's outermost loop. ScheduleIllegal where it cannot be,
// where an iteration reads more than stays near, or where much would be computed several times.
Result<void> bring_producer_near(Draft& draft, const std::string& producer,
                                 const std::string& consumer, const Machine& machine);

}  // namespace loopglass::schedule
