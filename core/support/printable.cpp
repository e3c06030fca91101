#include "core/support/printable.h"

#include <fmt/format.h>
#include <algorithm>

namespace loopglass {

namespace {

unsigned byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

// Of the character that a byte begins, by its first bits; 0 where it begins none.
std::size_t length_of(unsigned first) {
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first < 0xe0) return 2;
  if (first >= 0xe0 && first < 0xf0) return 3;
  return first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

// What the second byte may be, which rules out spellings that are longer than needed, halves of
// surrogate pairs and what lies beyond Unicode.
bool is_second(unsigned first, unsigned second) {
  const unsigned least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  const unsigned most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  return second >= least && second <= most;
}

// How many bytes at the front are as those of one character; all of it, or as much as there is.
std::size_t well_formed(std::string_view text) {
  const unsigned first = byte_at(text, 0);
  const std::size_t length = std::min(length_of(first), text.size());
  for (std::size_t i = 1; i < length; ++i) {
    const unsigned byte = byte_at(text, i);
    if (i == 1 ? !is_second(first, byte) : (byte & 0xc0) != 0x80) return i;
  }
  return length;
}

// The bytes of the character at the front, or 0 where there is none.
std::size_t character(std::string_view text) {
  const std::size_t length = length_of(byte_at(text, 0));
  return length > 0 && well_formed(text) == length ? length : 0;
}

// Of a character's bytes: C0 but newline and tab, DEL, and C1, which is U+0080 to U+009F.
bool is_control(std::string_view bytes) {
  const unsigned first = byte_at(bytes, 0);
  if (first < 0x20) return first != '\n' && first != '\t';
  return first == 0x7f || (first == 0xc2 && byte_at(bytes, 1) < 0xa0);
}

}  // namespace

std::size_t shown_as_is(std::string_view text) {
  const std::size_t length = text.empty() ? 0 : character(text);
  return length > 0 && is_control(text.substr(0, length)) ? 0 : length;
}

std::string printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = std::max<std::size_t>(character(text), 1);
    if (shown_as_is(text) > 0) shown += text.substr(0, length);
    else if (character(text) == 0) shown += fmt::format("\\x{:02x}", byte_at(text, 0));
    else shown += fmt::format("\\u{:04x}", byte_at(text, length - 1));  // U+009B is c2 9b
    text.remove_prefix(length);
  }
  return shown;
}

std::size_t unfinished_bytes(std::string_view text) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, text.size()); ++back) {
    const std::string_view end = text.substr(text.size() - back);
    if (length_of(byte_at(end, 0)) > back && well_formed(end) == back) return back;
  }
  return 0;
}

}  // namespace loopglass
