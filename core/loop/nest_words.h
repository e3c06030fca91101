// What the words of a loop nest's text mean, in a sentence each.
#pragma once

#include <string_view>

namespace loopglass::loop {

// "Iterations run at once, in the lanes of vector registers."; empty for any other word.
std::string_view nest_word_sentence(std::string_view word);

}  // namespace loopglass::loop
