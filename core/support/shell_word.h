// A word of a command line as people paste it.
#pragma once

#include <string>
#include <string_view>

namespace loopglass {

// As a shell takes it for one word: as it is, or in single quotes.
std::string shell_word(std::string_view text);

}  // namespace loopglass
