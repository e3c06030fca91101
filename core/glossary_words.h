// Words that Loopglass uses for its own things, where no table has a row for them.
#pragma once

#include <span>
#include <string_view>

namespace loopglass {

struct GlossaryWord {
  std::string_view word, sentence;
};
// By the alphabet.
std::span<const GlossaryWord> glossary_words();

}  // namespace loopglass
