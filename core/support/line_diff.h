// The difference of two texts, line by line, in unified hunks: patience (lines that occur once on
// either side are anchors), and between anchors the longest common subsequence in linear space.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace loopglass {

enum class LineKind : std::uint8_t { Same, Removed, Added };

struct DiffLine {
  LineKind kind;
  std::size_t before = 0, after = 0;  // line numbers from 1; 0: not on that side
  std::string text;                   // without its newline
};

struct Hunk {
  std::size_t before_begin = 0, before_count = 0;  // lines from 1, as in "@@ -4,7 +4,6 @@"
  std::size_t after_begin = 0, after_count = 0;
  std::vector<DiffLine> lines;
};

// Changes with `context` equal lines around them; hunks that would touch are one. None if equal.
std::vector<Hunk> line_diff(std::string_view before, std::string_view after,
                            std::size_t context = 3);
// With "@@" headings, and ' ', '-' or '+' before each line.
std::string to_text(const std::vector<Hunk>& hunks);

}  // namespace loopglass
