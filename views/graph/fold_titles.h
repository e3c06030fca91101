// What folds are called on boxes, which have room for few letters.
#pragma once

#include "core/graph/folding.h"

#include <QString>

#include <vector>

namespace loopglass::views {

// One a fold, to be followed by its times_words(). Of what is too long for the widest box that
// stays which tells it from the others in the same part: what it shares with the part around it
// goes first, then what it shares with those. Different folds are called the same only where they
// are.
std::vector<QString> fold_titles(const graph::Folding& folding);

// " ×3"; empty of what does not repeat.
QString times_words(int repeats);

}  // namespace loopglass::views
