#include "app/loopglassc/footer.h"

namespace loopglass::app {

std::string footer(bool takes_model) {
  constexpr const char* model =
      R"(MODEL is a file, a folder with model.onnx, the name of a sample (see 'samples'), or a session
that the window saved (FILE.loopglass), whose options stand where the command line says nothing.

)";
  constexpr const char* exit_codes =
      R"(Exit codes: 0 good, 1 a result that is not right, 2 usage (options, commands and names that there
are not, text that does not parse), 3 a diagnostic (of a file, a model, this machine), 70 a defect of ours.)";
  return std::string(takes_model ? model : "") + exit_codes;
}

}  // namespace loopglass::app
