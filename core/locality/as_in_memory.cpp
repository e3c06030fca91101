#include "core/locality/as_in_memory.h"

#include <algorithm>
#include <memory>

namespace loopglass::locality {

loop::Func as_in_memory(const loop::Func& nest, std::span<const pass::FuncPass> loop_passes) {
  const auto last = std::ranges::find(loop_passes, "compact-buffers",
                                      [](const pass::FuncPass& pass) { return pass.info.name; });
  if (last == loop_passes.end()) return nest;
  const auto placed =
      pass::run(std::make_shared<const loop::Func>(nest),
                loop_passes.first(static_cast<std::size_t>(last - loop_passes.begin()) + 1));
  return placed ? placed->last() : nest;
}

}  // namespace loopglass::locality
