// What a person pinned and forbade of a kernel's knobs: a file for each kernel beside its trials,
// in the options that `loopglassc tune` takes for them, so that another day begins with them.
#pragma once

#include "core/tune/knob_rule.h"

#include <filesystem>
#include <vector>

namespace loopglass::views {

std::filesystem::path rules_folder(const std::filesystem::path& folder);
std::filesystem::path rules_file(const std::filesystem::path& folder, const std::string& workload);
// In the place of what was kept. FileUnwritable, DiskFull.
Result<void> keep_rules(const std::filesystem::path& file,
                        const std::vector<tune::KnobRule>& rules);
// None where there is no such file; lines that say nothing are passed over.
std::vector<tune::KnobRule> kept_rules(const std::filesystem::path& file);

}  // namespace loopglass::views
