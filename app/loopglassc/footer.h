// What stands below the help of every command.
#pragma once

namespace loopglass::app {

#define LOOPGLASS_EXIT_CODES                                                                     \
  "Exit codes: 0 good, 1 a result that is not right, 2 usage (options, commands and names that " \
  "there\n"                                                                                      \
  "are not, text that does not parse), 3 a diagnostic (of a file, a model, this machine), 70 a " \
  "defect of ours."

inline constexpr const char* footer = LOOPGLASS_EXIT_CODES;
inline constexpr const char* footer_with_model =
    "MODEL is a file, a folder with model.onnx, the name of a sample (see 'samples'), or a "
    "session\n"
    "that the window saved (FILE.loopglass), whose options stand where the command line says "
    "nothing.\n"
    "\n" LOOPGLASS_EXIT_CODES;

#undef LOOPGLASS_EXIT_CODES

}  // namespace loopglass::app
