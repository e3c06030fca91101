// What pages of the inspector say of operators: their names, how many of which kind, amounts.
#pragma once

#include "core/graph/graph.h"
#include "views/inspector/page.h"

namespace loopglass::views {

QString node_link(const graph::Node& node);
QString count_text(std::int64_t count);  // "4.20 M"
// How many of each kind, the most frequent first.
void list_operators(Page& page, const std::vector<graph::NodePtr>& nodes);

}  // namespace loopglass::views
