// compute_regions (walk.h) for who has many blocks and knows its buffers by name.
#pragma once

#include "core/loop/func.h"

#include <functional>

namespace loopglass::loop {

// Null for what is no buffer.
using FindBuffer = std::function<const Buffer*(const std::string& name)>;

void compute_regions(Block& block, const FindBuffer& find);

}  // namespace loopglass::loop
