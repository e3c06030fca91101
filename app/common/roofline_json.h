// A network under its roofs, as the command line and the exported pages print it.
#pragma once

#include "core/network_roofline.h"

#include <nlohmann/json_fwd.hpp>
#include <optional>

namespace loopglass::app {

nlohmann::ordered_json to_json(const roofline::Roofs& roofs);
// nullopt: not such an object, or numbers that no roofs are.
std::optional<roofline::Roofs> roofs_from_json(const nlohmann::ordered_json& json);
nlohmann::ordered_json to_json(const KernelVerdict& kernel);

}  // namespace loopglass::app
