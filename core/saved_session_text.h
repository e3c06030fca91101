// The text of a session as JSON, before anything of it is understood.
#pragma once

#include "core/saved_session_fields.h"

#include <string_view>

namespace loopglass::saved {

inline constexpr const char* what_sessions_are = "a session is what File > Save Session writes";

// NoSession; SessionCorrupt of what begins as one and does not end as one.
Result<ReadJson> parse_json(std::string_view text);

}  // namespace loopglass::saved
