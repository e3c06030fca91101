// A verdict as a card: what binds, why, what else is in the way, what was tried, what to try.
#pragma once

#include "core/network_roofline.h"

#include <QString>

namespace loopglass::views {

QString verdict_html(const KernelVerdict& kernel);

}  // namespace loopglass::views
