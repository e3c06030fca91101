// The operator families of a graph, for the strip that says what its colours mean.
#pragma once

#include "core/graph/graph.h"
#include "views/canvas/overlay_legend.h"

namespace loopglass::views {

// The commonest first; of very many the rest is one row.
std::vector<OverlayLegend::Row> family_rows(const graph::Graph& graph);
// How many operators are of each.
QString family_counts(const graph::Graph& graph);

}  // namespace loopglass::views
