// "conv1, conv2, conv3 and 54 more", for sentences.
#pragma once

#include <fmt/ranges.h>
#include <algorithm>
#include <string>
#include <vector>

namespace loopglass {

inline std::string first_names(const std::vector<std::string>& names, std::size_t most = 3) {
  const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), most));
  const std::string first = fmt::format("{}", fmt::join(names.begin(), end, ", "));
  return names.size() > most ? fmt::format("{} and {} more", first, names.size() - most) : first;
}

}  // namespace loopglass
