#include "app/loopglassc/inputs.h"

#include "app/common/numbers.h"
#include "app/common/tensor_file.h"
#include "core/graph/opaque_reach.h"

#include <fmt/format.h>
#include <limits>

namespace loopglass::app {

Result<std::map<std::string, Tensor>> read_inputs(const std::vector<std::string>& arguments) {
  std::map<std::string, Tensor> given;
  for (const std::string& argument : arguments) {
    const std::size_t equals = argument.find('=');
    if (equals == std::string::npos)
      return fail(Code::UsageInvalid, fmt::format("'{}' does not name an input", argument),
                  "--input", "write name=file.pb, or name=file.npy");
    given[argument.substr(0, equals)] = TRY(read_tensor_file(argument.substr(equals + 1)));
  }
  return given;
}

Option add_seed(Command command, std::uint64_t& seed) {
  return command.add_option("--seed", seed, "of random inputs")
      .check(whole_number(0, std::numeric_limits<std::int64_t>::max()))
      .capture_default_str();
}

Option add_input_values(Command command, std::vector<std::string>& inputs) {
  return command
      .add_list("--input", inputs,
                "an input's value, a tensor of ONNX's (.pb) or NumPy's (.npy) (default: random)",
                Entries::Bindings)
      .type_name("NAME=FILE");
}

Option add_inputs(Command command, InputOptions& options) {
  add_input_values(command, options.inputs);
  return add_seed(command, options.seed);
}

// Half precision cannot come nearer than it has digits.
debug::Tolerance EvaluationOptions::tolerance() const {
  debug::Tolerance tolerance;
  if (!relative_tolerance) return tolerance;
  tolerance.relative = *relative_tolerance;
  tolerance.relative_float16 = std::max(*relative_tolerance, tolerance.relative_float16);
  return tolerance;
}

Option add_evaluation(Command command, EvaluationOptions& options) {
  add_inputs(command, options);
  command.add_option("--threads", options.threads, "threads to compile and run on")
      .check(whole_number(1, 1024))
      .capture_default_str();
  return command
      .add_option(
          "--tolerance", options.relative_tolerance,
          "error, by an element and the root mean square of all together, that still counts as the "
          "same")
      .check(not_negative_number())
      .default_str(fmt::format("{}", debug::Tolerance{}.relative));
}

Result<ModelOptions> with_known_inputs(const ModelOptions& model,
                                       const std::vector<std::string>& inputs, std::uint64_t seed) {
  ModelOptions known = model;
  known.seed = seed;
  known.known_inputs = TRY(read_inputs(inputs));
  return known;
}

void tell_of_stand_ins(const graph::Graph& graph) {
  if (const std::string note = graph::note_on_stand_ins(graph); !note.empty())
    fmt::print(stderr, "note: {}\n", note);
}

// What is known and no input any more has become a constant.
debug::Inputs network_inputs(const graph::Graph& graph, const std::map<std::string, Tensor>& known,
                             std::uint64_t seed) {
  debug::Inputs inputs = debug::random_inputs(graph, seed);
  for (const auto& [name, tensor] : known)
    if (const auto input = inputs.find(name); input != inputs.end()) input->second = tensor;
  return inputs;
}

}  // namespace loopglass::app
