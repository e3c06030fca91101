// Listings as one text, and back.
#pragma once

#include "core/codegen/kernel_listings.h"

#include <sstream>
#include <string>

namespace loopglass::codegen {

inline std::string text_of(const SourceLines& lines) {
  std::string text;
  for (const SourceLine& line : lines) text += line.text + '\n';
  return text;
}

inline SourceLines lines_of(const std::string& text) {
  SourceLines lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back({line, 0});
  return lines;
}

}  // namespace loopglass::codegen
