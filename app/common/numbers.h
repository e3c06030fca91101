// Checks of what is typed for an option, in words that say what is wrong with it.
#pragma once

#include "core/support/result.h"

#include "app/common/arguments.h"

namespace loopglass::app {

// A whole number from one to the other.
Check whole_number(std::int64_t least, std::int64_t most);
// Anything but nothing.
Check not_blank();
// At least zero, and a number: NaN is none.
Check not_negative_number();
// Before a transform to an unsigned number, which would take it for a very large one.
Check positive_number();
// At least one thread, and no more than are of use on this machine.
Check thread_count();

}  // namespace loopglass::app
