// Which layer of the network a kernel is, in the network's own names.
#pragma once

#include "core/fusion/plan.h"

namespace loopglass::fusion {

// "layer1.0.conv3 + add + relu3": its operators in order, without the scopes that they share with
// the first, "…" for those that are not all of the first's; of more than `most` the first few, and
// how many more there are.
std::string layer_words(const Group& group, const graph::Graph& graph, std::size_t most = 4);

}  // namespace loopglass::fusion
