// loopglassc: every stage of the compiler on the command line.
#pragma once

namespace loopglass::app {

// Does what the arguments say, prints it, and ends the process with the exit code that the help
// explains. What the process holds the system takes back: to free all that LLVM and ONNX have in
// their registers takes a fifth of a short command's time.
[[noreturn]] void be_command_line(int argc, char** argv);

}  // namespace loopglass::app
