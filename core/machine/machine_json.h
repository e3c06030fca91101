// A machine as JSON, each figure with where it comes from: what `loopglassc calibrate` keeps, and
// what a worker is told.
#pragma once

#include "core/machine/machine.h"
#include "core/support/result.h"

#include <string>
#include <string_view>

namespace loopglass {

std::string to_json(const Machine& machine);
// UsageInvalid: not such a text, or numbers that no machine has.
Result<Machine> machine_from_json(std::string_view text);

}  // namespace loopglass
