// Where Loopglass keeps what a person did and nobody can make again: the sessions of the window.
#pragma once

#include "core/support/result.h"

#include <filesystem>

namespace loopglass {

// $LOOPGLASS_STATE, else $XDG_STATE_HOME/loopglass, else ~/.local/state/loopglass; it need not be
// there yet. SessionUnwritable where none of these is set.
Result<std::filesystem::path> state_folder();

}  // namespace loopglass
