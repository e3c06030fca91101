// A network under its roofs, as the command line and the exported pages print it.
#pragma once

#include "core/network_roofline.h"

#include <nlohmann/json_fwd.hpp>

namespace loopglass::app {

nlohmann::ordered_json to_json(const roofline::Roofs& roofs);
nlohmann::ordered_json to_json(const KernelVerdict& kernel);

}  // namespace loopglass::app
