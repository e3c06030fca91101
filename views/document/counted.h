// "1 kernel", "57 kernels".
#pragma once

#include <QString>

#include <concepts>

namespace loopglass::views {

inline QString counted(std::integral auto count, const char* noun) {
  return QString("%1 %2%3").arg(count).arg(noun, count == 1 ? "" : "s");
}

}  // namespace loopglass::views
