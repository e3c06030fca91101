// A place in a history by the name of its pass, which stays right when passes are added before it.
#pragma once

#include "core/pass/position.h"

namespace loopglass::pass {

// "input", "simplify", "simplify#2:4": parses back (parse_position) in the same history.
std::string position_name(const Position& position, const GraphHistory& history);

}  // namespace loopglass::pass
