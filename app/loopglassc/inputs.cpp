#include "app/loopglassc/inputs.h"

#include "core/onnx/import.h"

#include <fmt/format.h>

namespace loopglass::app {

Result<std::map<std::string, Tensor>> read_inputs(const std::vector<std::string>& arguments) {
  std::map<std::string, Tensor> given;
  for (const std::string& argument : arguments) {
    const std::size_t equals = argument.find('=');
    if (equals == std::string::npos)
      return fail(Code::UsageInvalid, fmt::format("'{}' does not name an input", argument), "--input",
                  "write name=file.pb");
    given[argument.substr(0, equals)] = TRY(onnx::read_tensor(argument.substr(equals + 1)));
  }
  return given;
}

}  // namespace loopglass::app
