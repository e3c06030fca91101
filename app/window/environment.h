// What Qt expects of its surroundings, put in order before it starts.
#pragma once

namespace loopglass::app {

// Qt remarks on stderr when XDG_RUNTIME_DIR is not set, as on servers and in containers. It is
// given a private folder then, with the rights the XDG specification asks for.
void prepare_environment();

}  // namespace loopglass::app
