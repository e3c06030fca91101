// A verdict of fusion as people read it, wherever the window shows one.
#pragma once

#include "core/fusion/cost_model.h"
#include "core/fusion/plan.h"

#include <QString>

namespace loopglass::views {

// Fused or not, why, the rule with its operands, and the numbers.
QString verdict_html(const fusion::Decision& decision, const fusion::CostModel& cost);

}  // namespace loopglass::views
