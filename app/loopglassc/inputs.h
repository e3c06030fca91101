// Values for a network's inputs, as --input names them or random, and how a network is run on them
// to see what its values are.
#pragma once

#include "app/loopglassc/command.h"
#include "core/debug/lens.h"

namespace loopglass::app {

// "name=file.pb" or "name=file.npy" for each. UsageInvalid, TestDataUnreadable.
Result<std::map<std::string, Tensor>> read_inputs(const std::vector<std::string>& arguments);

struct InputOptions {
  std::vector<std::string> inputs;
  std::uint64_t seed = 1;
};
Option add_seed(Command command, std::uint64_t& seed);
Option add_input_values(Command command, std::vector<std::string>& inputs);
// The option of the seed.
Option add_inputs(Command command, InputOptions& options);

// Wherever values of two networks are compared, or those of one are looked at.
struct EvaluationOptions : InputOptions {
  std::optional<double> relative_tolerance;
  int threads = runtime::hardware_threads();

  debug::Tolerance tolerance() const;
};
// The option of the tolerance.
Option add_evaluation(Command command, EvaluationOptions& options);

// The same model, with the values of --input known.
Result<ModelOptions> with_known_inputs(const ModelOptions& model,
                                       const std::vector<std::string>& inputs,
                                       std::uint64_t seed = 1);
// Says on the error stream where random numbers stand in for what the graph's opaque operators
// give.
void tell_of_stand_ins(const graph::Graph& graph);
// For each input of the network, known or random.
debug::Inputs network_inputs(const graph::Graph& graph, const std::map<std::string, Tensor>& known,
                             std::uint64_t seed);

}  // namespace loopglass::app
