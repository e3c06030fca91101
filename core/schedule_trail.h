// A kernel under the roofs as its schedule grows: as it is written, and after each primitive.
#pragma once

#include "core/kernel_verdict.h"
#include "core/session.h"

namespace loopglass {

// `whole`: what was found of the kernel as it is scheduled, which the trail ends with. One of a
// schedule without primitives has that alone. Cancelled, and what Session::kernel says.
Result<ScheduleTrail> schedule_trail(Session& session, const fusion::Group& group,
                                     const roofline::Verdict& whole, const roofline::Roofs& roofs,
                                     measure::WorkerPool& workers, const Progress& progress = {},
                                     const Cancellation& cancellation = {});

}  // namespace loopglass
