// The roofs of this machine for commands that hold something against them.
#pragma once

#include "core/roofline/roofs.h"
#include "core/session.h"

namespace loopglass::app {

// Measured here before, else now, and then kept.
Result<roofline::Roofs> known_roofs(Session& session, int threads);

}  // namespace loopglass::app
