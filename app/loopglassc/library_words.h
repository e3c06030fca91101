// Libraries of hand-written kernels, and what they took, as text and as JSON.
#pragma once

#include "core/library/comparison.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace loopglass::app {

// {library, version, instruction_set, threading_runtime}
nlohmann::ordered_json to_json(library::Library& library);
// {implementation, layouts, median_us, lower_quartile_us, upper_quartile_us}
nlohmann::ordered_json to_json(const library::Attempt& attempt);
// {median, low, high}
nlohmann::ordered_json to_json(const library::Ratio& ratio);
// {median_us, lower_quartile_us, upper_quartile_us}
nlohmann::ordered_json median_and_quartiles(const runtime::Statistics& time);

// Its time; "none" where the library has only a reference.
std::string words(const library::Attempt& attempt);
// "1.13 [1.10, 1.18]"
std::string words(const library::Ratio& ratio);

}  // namespace loopglass::app
