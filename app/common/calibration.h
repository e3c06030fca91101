// What is known of this machine between runs: measured rates, measured kernels and measured roofs,
// one file of each for each processor, in the cache folder.
#pragma once

#include "core/fusion/cost_model.h"
#include "core/machine/machine.h"
#include "core/roofline/roofs.h"
#include "core/runtime/calibrate.h"
#include "core/session.h"

namespace loopglass::app {

// By this machine as it can be looked up, with its rates where it has been calibrated and the
// kernels that were measured; null where it has not been calibrated and
// no kernel was measured. A damaged file is as good as none: it can be made again.
std::shared_ptr<const fusion::CostModel> host_cost_model();

// Times small kernels of this compiler, on one thread.
Result<runtime::Calibration> calibrate_host(const runtime::CalibrationOptions& options);

// Whether anything can be kept here, to be asked before it is measured. FileUnwritable.
Result<void> check_keeping();
// The file that was written.
Result<std::filesystem::path> keep(const Machine& machine);
// Joined to those that are there, by one process at a time.
Result<std::filesystem::path> keep(const fusion::Measurements& measurements);

// The highest that were measured here on so many threads; nullopt: nobody has measured, or caches
// were of other sizes then.
std::optional<roofline::Roofs> kept_roofs(int threads);
// Joined to those that are there: others may have had the machine meanwhile.
Result<std::filesystem::path> keep(const roofline::Roofs& roofs);

}  // namespace loopglass::app
