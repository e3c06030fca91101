// Words that panes show, explained where the pointer rests.
#pragma once

#include "views/document/document.h"

namespace loopglass::views {

// Rich text with a sentence for each thing of that name: passes, primitives, verdicts,
// instructions. Empty where there is none.
QString word_help(const Document& document, const QString& word);

}  // namespace loopglass::views
