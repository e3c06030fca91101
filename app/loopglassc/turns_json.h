// Times in turns as --json prints them.
#pragma once

#include "core/runtime/times_in_turns.h"

#include <nlohmann/json_fwd.hpp>

namespace loopglass::app {

// {ratio, lower_quartile_ratio, upper_quartile_ratio, turns, agreeing, chance, certain}
nlohmann::ordered_json to_json(const runtime::TimesInTurns& times);

}  // namespace loopglass::app
