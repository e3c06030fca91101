// What a person wishes of the kernels that are tuned: knobs that stand so or never so, scripts that
// are to be tried. Each says of which kernel, "KERNEL:KNOB=VALUE", where there are several.
#pragma once

#include "core/session.h"
#include "core/tune/task.h"

#include <string>
#include <vector>

namespace loopglass::app {

struct TuneWishes {
  std::vector<std::string> pins, bans;  // "KNOB=VALUE"
  std::vector<std::string> tries;       // files
};

// UsageInvalid: what is no wish, or of no kernel that is tuned, or does not say of which; what
// reading a script says.
Result<void> grant(const TuneWishes& wishes, Session& session, std::vector<tune::Task>& tasks);

// A script of a file, which an error in it names.
Result<std::string> read_script(const std::string& file, const char* what, const char* option,
                                const char* hint);

}  // namespace loopglass::app
