// How much a measured time can be trusted, in words that stand beside it.
#pragma once

#include "core/runtime/benchmark.h"

namespace loopglass::runtime {

// What lies between the quartiles, as a share of the median.
double spread(const Statistics& time);

// Whether rounds differ so much that their median says little.
bool is_unsteady(const Statistics& time);

// "spread 4 %, others took 1.3 of 2 processors: busy"; `load` where it is known, of the time it
// took on so many threads. "spread 81 %: unsteady" where it is.
std::string trust_words(const Statistics& time, const std::optional<MachineLoad>& load,
                        int threads);

// "others took 1.3 of 2 processors: busy"
std::string load_words(const MachineLoad& load, int threads);

// "the kernels' medians, of which shares are, add up to 56.2 ms; a round takes 4.1 ms more, ..."
std::string sum_words(const BenchmarkReport& report);
// Of the kernels' medians, in milliseconds.
double sum_of_kernels(const BenchmarkReport& report);

// Whether all that would take time is missing, so that there is no time to tell.
bool is_nothing_timed(const BenchmarkReport& report);

}  // namespace loopglass::runtime
