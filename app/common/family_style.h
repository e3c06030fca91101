// How operators stand out on a terminal: by what they do with numbers, which is coarser than their
// families, for a terminal has eight colours.
#pragma once

#include "app/common/terminal.h"
#include "core/fusion/plan.h"
#include "core/ops/op_def.h"

namespace loopglass::app {

Style style_of(ops::Family family);
// Of a kernel: as its anchor.
Style style_of(const fusion::Group& group, const graph::Graph& graph);

}  // namespace loopglass::app
