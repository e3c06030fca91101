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

Result<debug::Inputs> network_inputs(const graph::Graph& graph, std::uint64_t seed, const std::vector<std::string>& arguments) {
  debug::Inputs inputs = debug::random_inputs(graph, seed);
  const auto given = TRY(read_inputs(arguments));
  for (const auto& [name, tensor] : given) {
    if (!inputs.contains(name)) return fail(Code::InputMismatch, fmt::format("the model has no input '{}'", name), "--input");
    inputs[name] = tensor;
  }
  return inputs;
}

}  // namespace loopglass::app
