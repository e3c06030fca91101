// What there is to choose where nothing is tiled: how many vectors at a time each block is walked
// by, of the default schedule's rows and sums of rows.
#pragma once

#include "core/tune/space.h"

#include <optional>

namespace loopglass::tune {

// nullopt: no block of the kernel is walked by vectors, or each has a row of one.
std::optional<Sketch> vectors_sketch(const Task& task);

}  // namespace loopglass::tune
