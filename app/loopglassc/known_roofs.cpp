#include "app/loopglassc/known_roofs.h"

#include "app/common/calibration.h"
#include "app/common/status_line.h"
#include "app/common/worker.h"
#include "core/network_roofline.h"

#include <fmt/format.h>

#include <tuple>

namespace loopglass::app {

Result<roofline::Roofs> known_roofs(Session& session, int threads) {
  if (auto kept = kept_roofs(threads)) return *std::move(kept);
  measure::WorkerPool workers(own_worker());
  StatusLine status;
  const Progress progress = [&](std::string_view what, double) {
    status.update(fmt::format("what this machine gives at most, measured once: {}", what));
  };
  const roofline::Roofs roofs = TRY(measure_roofs(session.toolchain(), threads, workers, progress));
  status.end();
  // Where nothing can be kept they are measured again.
  std::ignore = keep(roofs);
  return roofs;
}

}  // namespace loopglass::app
