// What is wrong with something that was typed, as rich text: the sentence, the place under a caret
// in a fixed-width font, and what to do about it.
#pragma once

#include "core/support/result.h"

#include <QString>

namespace loopglass::views {

QString problem_text(const Diagnostic& problem);

}  // namespace loopglass::views
