// What stands below the help of every command.
#pragma once

#include <string>

namespace loopglass::app {

// Exit codes, and before them, of a command that reads one, what MODEL is.
std::string footer(bool takes_model);

}  // namespace loopglass::app
