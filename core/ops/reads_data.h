// Whether an operator's result depends on what is in its inputs, or on their types alone.
#pragma once

#include "core/te/te.h"

namespace loopglass::ops {

// False where no stage reads an input and no output is one (Shape, Size, ConstantOfShape, ...): the
// results are known before any data is. `program` is program_of's.
bool reads_data(const te::Program& program);

}  // namespace loopglass::ops
