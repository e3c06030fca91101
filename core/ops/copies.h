// Whether an operator hands on what it is given.
#pragma once

#include "core/te/te.h"

namespace loopglass::ops {

// Whether the first output is the first input, element by element, if their types are equal:
// Identity, Dropout at inference, a Cast to the type at hand. `program` is program_of's.
bool copies_input(const te::Program& program);

}  // namespace loopglass::ops
