// Runs and trials in a sentence.
#pragma once

#include "views/tuning/shown_run.h"

namespace loopglass::views {

QString trial_html(const ShownRun& run, const ShownTrial& trial);
QString run_html(const ShownRun& run);  // of one that has a trial, or a problem
// What tuning these kernels of a network has brought it, before a sentence about one of them;
// empty: that is not known.
QString network_html(const std::vector<const ShownRun*>& kernels);

}  // namespace loopglass::views
