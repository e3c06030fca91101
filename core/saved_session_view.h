// What the window shows of a session, and how, as JSON.
#pragma once

#include "core/saved_session.h"
#include "core/saved_session_fields.h"

namespace loopglass::saved {

Json view_json(const SavedSession& session);
Result<void> take_view(const Found& found, SavedSession& session);

}  // namespace loopglass::saved
