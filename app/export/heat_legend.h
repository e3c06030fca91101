// What the colours of a drawing mean, whose boxes are coloured by what they cost.
#pragma once

#include "app/export/picture.h"
#include "views/graph/heat.h"

namespace loopglass::app {

// Above the picture the measure, what it says, and its scale from the least to the greatest value
// of a box.
Picture with_heat_legend(Picture picture, views::Measure measure, double greatest);

}  // namespace loopglass::app
