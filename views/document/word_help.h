// Words that panes show, explained where the pointer rests.
#pragma once

#include "views/document/document.h"

#include <string_view>

namespace loopglass::views {

// Rich text with a sentence for each thing of that name: passes, primitives, verdicts,
// instructions. Empty where there is none. `left_out`: a kind that the pane has none of.
QString word_help(const Document& document, const QString& word, std::string_view left_out = {});

}  // namespace loopglass::views
