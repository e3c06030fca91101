// What a person can do by hand about edges and about kernels, as the menus of the fusion pane.
#pragma once

#include "views/document/document.h"

class QMenu;

namespace loopglass::views {

enum class Wish : std::uint8_t { Force, Forbid, Leave };
Wish wish_for(const Document& document, const fusion::Edge& edge);
// What a person asks of edges; the plan is made again.
void ask(Document& document, const std::vector<fusion::Edge>& edges, Wish wish);

// Nothing where the verdict on one of them is hidden.
void fill_edge_menu(QMenu& menu, Document& document, const std::vector<fusion::Decision>& edges);
void fill_kernel_menu(QMenu& menu, Document& document, const std::vector<fusion::GroupId>& groups);

}  // namespace loopglass::views
