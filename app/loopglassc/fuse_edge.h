// loopglassc fuse --edge: the card of an edge, beneath its verdict.
#pragma once

#include "core/fusion/edge_card.h"

#include <string>

namespace loopglass::app {

// As JSON.
std::string card_json(const fusion::EdgeCard& card, const fusion::EdgeCards& cards);

}  // namespace loopglass::app
