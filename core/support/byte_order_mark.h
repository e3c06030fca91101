// Some editors begin UTF-8 with a mark, which is no part of the text.
#pragma once

#include <string>

namespace loopglass {

inline std::string without_byte_order_mark(std::string text) {
  if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);
  return text;
}

}  // namespace loopglass
