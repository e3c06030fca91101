// A word of warning beside results of a model that holds operators which are not computed here.
#pragma once

#include "views/document/document.h"

namespace loopglass::views {

// As HTML, on a line of its own; empty where everything is computed.
QString stand_in_warning(const Document& document);

}  // namespace loopglass::views
