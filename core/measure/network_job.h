// Loading, running and timing networks in the process that is asked: what a worker does with such a
// request. Code that is wrong may end the process, or never come back.
#pragma once

#include "core/measure/network_request.h"
#include "core/measure/serve.h"

namespace loopglass::measure {

Frame run_networks(const Frame& request, const Tell& tell);

}  // namespace loopglass::measure
