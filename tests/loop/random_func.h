// Any loop nest at all: every operator on every element type, blocks with predicates and initial
// values, conditions, allocations, loops whose extent is a symbol, an outer loop's variable or more
// than a batch of lanes, loads guarded by what they would read outside.
#pragma once

#include "core/loop/func.h"

#include <random>

namespace loopglass::loop {

// Stays inside its buffers whatever the arguments; has one symbol, n, which is to be below 4.
Func random_func(std::uint32_t seed);

// Ordinary numbers mixed with zeros of both signs, infinities, NaN and the ends of integer types.
void fill_with_anything(Tensor& tensor, std::mt19937& random);

}  // namespace loopglass::loop
