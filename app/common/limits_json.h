// What keeps a nest's innermost loop from the machine's peak, as the commands print it.
#pragma once

#include "core/default_schedule/inner_loop.h"

namespace loopglass::app {

// JSON: [{"limit": "latency", "text": "..."}], the gravest first.
std::string to_json(const std::vector<schedule::LimitRemark>& limits);

}  // namespace loopglass::app
