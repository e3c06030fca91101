// Runs and trials in a sentence.
#pragma once

#include "views/tuning/shown_run.h"

namespace loopglass::views {

QString trial_html(const ShownRun& run, const ShownTrial& trial);
QString run_html(const ShownRun& run);  // of one that has a trial, or a problem

}  // namespace loopglass::views
