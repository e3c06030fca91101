// Layout by Graphviz's dot, in process. The only place that knows Graphviz.
#pragma once

#include "views/layout/layout.h"

namespace loopglass::layout {

// Nothing when cancelled before it began, or when Graphviz or its dot plugin does not work here.
std::optional<Layout> lay_out_with_graphviz(const LayoutGraph& graph,
                                            const Cancellation& cancellation);

}  // namespace loopglass::layout
