// "1 kernel", "57 kernels", for labels.
#pragma once

#include "core/support/counted.h"

#include <QString>

namespace loopglass::views {

inline QString counted(std::integral auto count, const char* noun) {
  return QString::fromStdString(loopglass::counted(count, noun));
}

}  // namespace loopglass::views
