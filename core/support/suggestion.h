// The help of a message about a name that there is not.
#pragma once

#include "core/support/closest.h"

namespace loopglass {

// "did you mean 'Conv'?", or the other words where no name is near: most begin as the one that was
// typed, or differ from it in few letters.
inline std::string did_you_mean(std::string_view word, std::span<const std::string> candidates,
                                std::string_view otherwise) {
  if (std::string near = did_you_mean(word, candidates); !near.empty()) return near;
  if (word.size() >= 3)
    for (const std::string& candidate : candidates)
      if (lower_case(candidate).starts_with(lower_case(word)))
        return "did you mean '" + candidate + "'?";
  return std::string(otherwise);
}

}  // namespace loopglass
