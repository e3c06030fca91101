// Several operators: what they are together, what they amount to and what they cost.
#pragma once

#include "views/document/document.h"
#include "views/inspector/page.h"

namespace loopglass::views {

// `part`: of the network, that they are; nullopt: chosen one by one.
void describe_several(Page& page, const Document& document,
                      const std::vector<graph::NodePtr>& nodes,
                      const std::optional<SelectedPart>& part);

}  // namespace loopglass::views
