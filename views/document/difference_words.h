// How a value of one network differs from that of another, in one line.
#pragma once

#include "core/debug/lens.h"

#include <QString>

namespace loopglass::views {

// "diverges: 12 of 100 elements beyond the tolerance, by up to 0.3 of |expected| + RMS"
// (core/debug/lens.h)
QString in_words(const debug::Difference& difference);

}  // namespace loopglass::views
