// The command that does what the tuning pane asks.
#pragma once

#include "core/tune/tuning.h"
#include "views/document/document.h"
#include "views/tuning/kernel_wishes.h"

namespace loopglass::views {

// Of the kernel that is shown, or of all; empty where none is shown. `wishes`: of that kernel, or
// of those of all that have any.
QString tune_command(const Document& document, const tune::TuneSettings& settings, int threads,
                     const std::vector<KernelWish>& wishes, bool of_all);

}  // namespace loopglass::views
