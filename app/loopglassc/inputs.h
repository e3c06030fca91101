// Values for a network's inputs: as --input names them, else random.
#pragma once

#include "core/debug/evaluator.h"

namespace loopglass::app {

// "name=file.pb" for each, a serialised tensor. UsageInvalid, TestDataUnreadable.
Result<std::map<std::string, Tensor>> read_inputs(const std::vector<std::string>& arguments);
// InputMismatch: the network has no such input.
Result<debug::Inputs> network_inputs(const graph::Graph& graph, std::uint64_t seed, const std::vector<std::string>& arguments);

}  // namespace loopglass::app
