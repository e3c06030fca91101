// Loop nests of blocks with whatever dependences: overlapping, strided and wrapping stores, scans,
// updates with and without a reducer, several writers of a buffer, shifted reads, predicates,
// triangular bounds, blocks at several depths of shared loops. What tensor expressions make (a
// buffer written whole, once, before it is read) is among it, so that primitives find work.
#pragma once

#include "core/loop/func.h"

#include <cstdint>

namespace loopglass::test {

// Sound, and inside its buffers; it may read what was never written.
loop::Func random_nest(std::uint32_t seed);

}  // namespace loopglass::test
