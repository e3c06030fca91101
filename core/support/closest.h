// The known word that a person most likely meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace loopglass {

// The candidate with the fewest slips from `word`, case aside: a letter missing, too many, another
// one, or two swapped. Empty when none is near (more than a third of the word, at least two).
std::string closest(std::string_view word, std::span<const std::string> candidates);
// "did you mean 'Conv'?", or nothing.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

// ASCII letters in lower case.
std::string lower_case(std::string_view text);

}  // namespace loopglass
