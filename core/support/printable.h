// Text as it may be shown: names come from models and arguments and may hold whatever bytes, among
// them the sequences that move a terminal's cursor, set its title or type for the person.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace loopglass {

// Control characters but newline and tab become \u001b, as JSON writes them (so that JSON stays
// JSON and says the same), bytes that are not UTF-8 become \xff; all else stays.
std::string printable(std::string_view text);

// How many bytes at the front are a character that is shown as it is; 0: the first byte is not.
std::size_t shown_as_is(std::string_view text);

// Of text that comes in pieces: how many bytes at its end may begin a character that goes on in the
// next piece.
std::size_t unfinished_bytes(std::string_view text);

}  // namespace loopglass
