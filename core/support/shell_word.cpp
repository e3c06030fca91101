#include "core/support/shell_word.h"

#include <algorithm>
#include <cctype>

namespace loopglass {

std::string shell_word(std::string_view text) {
  const auto is_plain = [](unsigned char c) {
    return c < 0x80 && (std::isalnum(c) || std::string_view("_./:=,@+-").contains(c));
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain)) return std::string(text);
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace loopglass
