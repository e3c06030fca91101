// What every fuzz target of a text form asks: text is refused with a diagnostic, or it prints, and
// what is printed parses and prints the same. A crash, a defect and a sanitizer's report are
// findings too.
#pragma once

#include "core/support/result.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace loopglass::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

inline void require(bool holds, const char* what, std::string_view text,
                    const std::string& detail = {}) {
  if (holds) return;
  std::fprintf(stderr, "%s\n%s\n%s\n", what, std::string(text).c_str(), detail.c_str());
  std::abort();
}

// `parse`: text to a Result; `print`: its value to text.
template <class Parse, class Print>
void round_trip(std::string_view text, const Parse& parse, const Print& print) {
  const auto first = parse(text);
  if (!first) {
    require(!to_string(first.error()).empty(), "a refusal says nothing", text);
    return;
  }
  const std::string printed = print(*first);
  const auto second = parse(printed);
  require(second.has_value(), "what is printed does not parse:", printed,
          second ? "" : to_string(second.error()));
  const std::string again = print(*second);
  require(again == printed, "what is printed prints otherwise:", printed, again);
}

}  // namespace loopglass::fuzz
