// The regions that a block reads and writes.
#pragma once

#include "core/loop/func.h"

#include <functional>
#include <string>
#include <vector>

namespace loopglass::loop {

// Sets a block's reads and writes from its body and init. A buffer met at one element has a point
// region; accesses that differ by constants are merged into the range between them; a dimension
// where they differ otherwise, or whose index is itself loaded, is taken whole. What a reduction
// reads of its own output is left out. A guarded access may point outside its buffer.
void compute_regions(Block& block, const std::vector<Buffer>& buffers);
Block with_regions(Block block, const std::vector<Buffer>& buffers);

// For who has many blocks and knows its buffers by name; null for what is no buffer.
using FindBuffer = std::function<const Buffer*(const std::string& name)>;
void compute_regions(Block& block, const FindBuffer& find);

}  // namespace loopglass::loop
