// What the window shows, as commands of `loopglassc`: whatever is done with the mouse can be done
// again without it.
#pragma once

#include "views/document/document.h"

namespace loopglass::views {

// "loopglassc passes model.onnx --passes '...' --memory-limit 64MiB"
QString passes_command(const Document& document);
// The graph at the position, or its difference from what it is compared with.
QString place_command(const Document& document);

}  // namespace loopglass::views
