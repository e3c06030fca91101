// What folds are called on boxes, which have room for few letters.
#pragma once

#include "core/graph/folding.h"

#include <QString>

#include <vector>

namespace loopglass::views {

// One a fold. Of what is too long that stays which tells it from the others in the same part: what
// it shares with the part around it goes first, then what it shares with those.
std::vector<QString> fold_titles(const graph::Folding& folding);

}  // namespace loopglass::views
