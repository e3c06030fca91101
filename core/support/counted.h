// "1 kernel", "57 kernels".
#pragma once

#include <fmt/format.h>
#include <concepts>
#include <string>
#include <string_view>

namespace loopglass {

inline std::string counted(std::integral auto count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace loopglass
