// The graphs inside an opaque operator, as links that open them: where the window says that there
// are no loops of it.
#pragma once

#include "core/graph/graph.h"

#include <QString>

namespace loopglass::views {

class Document;

// A paragraph with a link for each graph; empty: it runs none.
QString subgraph_links(const graph::Node& node);
// Of the kernel that the document shows.
QString subgraph_links_of_kernel(const Document& document);
// Opens the graph that a link is of, later: what the link is on may go. false: it is another link.
bool follow_subgraph_link(Document& document, const QString& link);

}  // namespace loopglass::views
