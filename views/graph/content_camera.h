// What a canvas with a graph on it looks at, by names, to be found again in another drawing.
#pragma once

#include "core/saved_session.h"
#include "views/graph/graph_content.h"

#include <optional>

namespace loopglass::views {

class GraphCanvas;

// By the box nearest to the middle that is in the graph; nullopt: there is none.
std::optional<Camera> camera_of(const GraphCanvas& canvas, const GraphContent& content,
                                const graph::Graph& graph);
// Looks there; false: the graph has no such box, and the canvas stays where it is.
bool look_at(GraphCanvas& canvas, const GraphContent& content, const graph::Graph& graph,
             const Camera& camera);

}  // namespace loopglass::views
