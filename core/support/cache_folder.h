// Where Loopglass keeps what it can make again: sample networks, what it knows of the machine.
#pragma once

#include "core/support/result.h"

#include <filesystem>

namespace loopglass {

// $LOOPGLASS_CACHE, else $XDG_CACHE_HOME/loopglass, else ~/.cache/loopglass; it need not be there yet.
// FileUnwritable where none of these is set.
Result<std::filesystem::path> cache_folder();

// Whole or not at all, so that two processes that write a file at once do no harm; its folder is made.
// FileUnwritable.
Result<void> write_file(const std::filesystem::path& file, std::string_view text);

}  // namespace loopglass
