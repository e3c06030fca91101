// Layout by a layered drawing of our own, for graphs that Graphviz cannot draw in time.
#pragma once

#include "views/layout/layout.h"

namespace loopglass::layout {

Result<Layout> lay_out_layered(const LayoutGraph& graph, const Cancellation& cancellation);

}  // namespace loopglass::layout
