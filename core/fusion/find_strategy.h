// Strategies by the names that people give.
#pragma once

#include "core/fusion/plan.h"

#include <span>

namespace loopglass::fusion {

// The first, where the name is empty. StrategyUnknown, which lists those that there are.
Result<const Strategy*> find_strategy(std::span<const Strategy> strategies, std::string_view name);

}  // namespace loopglass::fusion
