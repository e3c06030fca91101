// The command that does what the tuning pane asks.
#pragma once

#include "core/tune/tuning.h"
#include "views/document/document.h"

namespace loopglass::views {

// Of the kernel that is shown, or of all; empty where none is shown. Rules, and the file of a
// script of one's own (empty: none), are of one kernel.
QString tune_command(const Document& document, const tune::TuneSettings& settings, int threads,
                     const std::vector<tune::KnobRule>& rules,
                     const std::filesystem::path& own_script, bool of_all);

}  // namespace loopglass::views
