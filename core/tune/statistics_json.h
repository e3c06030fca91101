// Times in records and messages.
#pragma once

#include "core/runtime/turns.h"

#include <nlohmann/json_fwd.hpp>
#include <optional>

namespace loopglass::tune {

void add_statistics(nlohmann::ordered_json& json, const runtime::Statistics& time);
// Nothing where the object has none. Throws where they are no times.
std::optional<runtime::Statistics> statistics_in(const nlohmann::ordered_json& json);

}  // namespace loopglass::tune
