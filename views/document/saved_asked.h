// What is asked, as sessions keep it, and back: edges go by nodes here and by names there.
#pragma once

#include "core/saved_session.h"
#include "views/document/asked_history.h"

namespace loopglass::views {

// "conv1:relu1"; without a graph "#12:#15".
std::vector<std::string> edge_texts(const std::set<fusion::Edge>& edges, const graph::Graph* graph);

// `graph` names the operators of edges; null: they go by number, "#12:#15". Model, shapes and
// subgraph are left empty.
SavedAsked to_saved(const Asked& asked, const graph::Graph* graph);

// What there is none of in the toolchain (pipeline, strategy) is left at its default, with a
// problem told. Edges by name are left out: they are looked up when there is a graph.
Asked from_saved(const SavedAsked& saved, const Toolchain& toolchain,
                 std::vector<Diagnostic>& problems);

// The edges of a request. What the graph does not have is left out, with a problem told.
fusion::Constraints find_constraints(const Request& request, const graph::Graph& graph,
                                     std::vector<Diagnostic>& problems);

// The edits of a request, as above: without those that name an operator the graph does not have.
fusion::EditScript find_edits(const Request& request, const graph::Graph& graph,
                              std::vector<Diagnostic>& problems);

}  // namespace loopglass::views
