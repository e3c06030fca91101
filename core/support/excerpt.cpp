#include "core/support/excerpt.h"

#include <algorithm>

namespace loopglass {

namespace {

constexpr std::string_view ellipsis = "…", blanks = " \t\n";

bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

}  // namespace

std::string excerpt(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  const std::size_t kept = most - std::min(most, ellipsis.size());
  std::size_t front = kept - kept / 3, back = text.size() - kept / 3;
  while (front > 0 && continues_character(text[front])) --front;
  while (back < text.size() && continues_character(text[back])) ++back;
  return std::string(text.substr(0, front)).append(ellipsis).append(text.substr(back));
}

std::string excerpt(std::string_view text, std::size_t most_of_word, std::size_t most) {
  std::string shortened;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t word = std::min(text.find_first_not_of(blanks, at), text.size()),
                      end = std::min(text.find_first_of(blanks, word), text.size());
    shortened += text.substr(at, word - at);
    shortened += excerpt(text.substr(word, end - word), most_of_word);
    at = end;
  }
  return excerpt(shortened, most);
}

}  // namespace loopglass
