// The part of the inspector that tells what became of a node: born of what, by which rule, changed
// where, merged into what.
#pragma once

#include "views/document/document.h"
#include "views/inspector/page.h"

namespace loopglass::views {

void history_section(Page& page, const Document& document, const graph::Node& node);

}  // namespace loopglass::views
