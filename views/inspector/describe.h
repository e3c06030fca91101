// The inspector's text: what is known about the selection, as HTML. Links read "node:12",
// "value:5", "group:3",
// "place:5:2".
#pragma once

#include "views/document/document.h"

namespace loopglass::views {

QString describe_selection(const Document& document);

}  // namespace loopglass::views
