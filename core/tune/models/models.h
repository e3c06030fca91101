// The cost models there are, each in its own file.
#pragma once

#include "core/tune/cost_model.h"

namespace loopglass::tune {

std::unique_ptr<CostModel> trees_over_loops(std::uint64_t seed);
std::unique_ptr<CostModel> trees_over_stores(std::uint64_t seed);
std::unique_ptr<CostModel> feed_forward_net(std::uint64_t seed);
std::unique_ptr<CostModel> analytical_model();

// What the analytical model takes a nest for, on so many threads.
double estimated_milliseconds(std::span<const StoreFact> facts, const Machine& machine,
                              int threads);

}  // namespace loopglass::tune
