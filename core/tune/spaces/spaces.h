// The spaces there are, each in its own file.
#pragma once

#include "core/tune/space.h"

namespace loopglass::tune {

Result<Space> construct_space(const Task& task);
Result<Space> template_space(const Task& task);
Result<Space> sketch_space(const Task& task);

}  // namespace loopglass::tune
