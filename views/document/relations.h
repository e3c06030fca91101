// How entities of neighbouring levels relate: pure functions that the selection composes.
#pragma once

#include "core/codegen/kernel_listings.h"
#include "core/graph/graph.h"
#include "core/loop/text.h"

#include <set>
#include <vector>

namespace loopglass::views {

// The lines that do the work of these graph nodes: statements whose origin names one of them, and
// the loops around them in which nothing else is done.
std::set<int> lines_of_origin(const loop::Listing& listing, const std::set<graph::NodeId>& nodes);

// `line` and all lines below the statement it opens.
std::set<int> lines_of_statement(const loop::Listing& listing, int line);

// The line that introduces this loop, block or buffer; 0: none.
int line_of_entity(const loop::Listing& listing, const std::string& entity);

// Lines of IR or assembly that came from these lines of the loop nest, sorted, 1-based.
std::vector<int> lines_from(const std::vector<codegen::SourceLine>& lines,
                            const std::set<int>& loop_lines);

std::set<graph::NodeId> nodes_of(const Origin& origin);

}  // namespace loopglass::views
