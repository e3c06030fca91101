// Files that a person names on the command line and that hold text.
#pragma once

#include "core/support/result.h"

#include <string>

namespace loopglass::app {

// All of a file or pipe, of at most 16 MiB. FileUnreadable at `option`, about `subject` ("the
// edits").
Result<std::string> read_text(const std::string& path, const std::string& subject,
                              const std::string& option, const std::string& hint);

}  // namespace loopglass::app
