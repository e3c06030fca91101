// What passes decided and why, as the commands print it.
#pragma once

#include "core/pass/pass.h"

#include <nlohmann/json.hpp>

namespace loopglass::app {

std::string to_text(const pass::Remark& remark);  // missed UNROLL_OVER_BUDGET y: 'y' stays a loop: ...
nlohmann::ordered_json remark_json(const pass::Remark& remark);

}  // namespace loopglass::app
