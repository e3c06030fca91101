// Amounts of memory as a person reads them.
#pragma once

#include <cstdint>
#include <string>

namespace loopglass {

// "3.5 GiB"
std::string readable_bytes(std::int64_t bytes);

}  // namespace loopglass
