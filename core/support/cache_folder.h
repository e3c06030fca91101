// Where Loopglass keeps what it can make again: sample networks, what it knows of the machine.
#pragma once

#include "core/support/result.h"

#include <filesystem>

namespace loopglass {

// $LOOPGLASS_CACHE, else $XDG_CACHE_HOME/loopglass, else ~/.cache/loopglass; it need not be there
// yet. FileUnwritable where none of these is set.
Result<std::filesystem::path> cache_folder();

}  // namespace loopglass
