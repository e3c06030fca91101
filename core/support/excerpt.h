// Long text in short: names come from models and arguments, and may be as long as they like.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace loopglass {

// The beginning and the end of a text of more than `most` bytes, with "…" between them; never half
// a character.
std::string excerpt(std::string_view text, std::size_t most);

// The same of every word (what stands between blanks) that is longer than `most_of_word`, and then
// of the whole.
std::string excerpt(std::string_view text, std::size_t most_of_word, std::size_t most);

}  // namespace loopglass
