// What cannot be followed.
#pragma once

#include "core/loop/func.h"
#include "core/support/result.h"

#include <fmt/format.h>

namespace loopglass::locality {

inline Diagnostic too_large(const loop::Func& func) {
  return {Code::OutOfMemory,
          fmt::format("'{}' has more memory than is made to follow its accesses", func.name),
          func.name, "256 MiB at most in all: try smaller extents"};
}

}  // namespace loopglass::locality
