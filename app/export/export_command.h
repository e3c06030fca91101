// loopglassc export, as the window program does it: without a window and without a display.
#pragma once

#include "app/common/exit_codes.h"

namespace loopglass::app {

// `argv` begins with the switch; behind it stand the words of 'loopglassc export'. Tells what was
// written, or what is wrong.
Exit run_export(int argc, char** argv);

}  // namespace loopglass::app
