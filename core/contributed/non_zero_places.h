// Where elements are that hold: what operators begin with that select by data.
#pragma once

#include "core/support/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace loopglass::contributed {

// Nodes that make `name`, int64[count]: the places, in row-major order, of the `count` elements of
// `from`, which has so many, that are not zero. OperatorUnsupported where finding them takes too
// long: each is compared with elements, or with blocks of them.
Result<std::string> non_zero_places(const std::string& name, std::string_view from,
                                    std::int64_t elements, std::int64_t count);

// Nodes that make `count`, int64[1]: how many elements of `from` are not zero, which is what
// Function::count has said.
std::string non_zero_count(std::string_view from);

}  // namespace loopglass::contributed
