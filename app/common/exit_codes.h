// How our programs end.
#pragma once

#include "core/support/diagnostic.h"

namespace loopglass::app {

// What the process ends with.
enum class Exit : int {
  Good = 0,
  Bad = 1 /* a result that is not right */,
  Usage = 2,
  Refused = 3 /* a diagnostic */,
  Defect = 70
};

// Tells the diagnostic on stderr, and where `as_json` as the form `error` on stdout, too. Gives
// what the process ends with for it.
Exit refused(const Diagnostic& diagnostic, bool as_json = false);

}  // namespace loopglass::app
