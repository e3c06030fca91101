#include "views/code/changed_lines.h"

#include "core/support/line_diff.h"

#include <cctype>
#include <string>
#include <unordered_map>

namespace loopglass::views {
namespace {

std::string essence(std::string_view line) {
  std::string kept;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == ' ' && kept.empty()) continue;
    kept += line[i];
    if (line[i] == '%')
      while (i + 1 < line.size() && std::isdigit(static_cast<unsigned char>(line[i + 1]))) ++i;
  }
  return kept;
}

}  // namespace

std::vector<int> changed_lines(const std::vector<std::string_view>& before,
                               const std::vector<std::string_view>& after) {
  std::unordered_map<std::string, int> had;
  for (const std::string_view line : before) ++had[essence(line)];
  std::vector<int> changed;
  for (std::size_t i = 0; i < after.size(); ++i) {
    const std::string line = essence(after[i]);
    if (line.empty()) continue;
    if (int& left = had[line]; left > 0) --left;
    else changed.push_back(static_cast<int>(i) + 1);
  }
  return changed;
}

std::vector<int> changed_or_moved_lines(const std::vector<std::string_view>& before,
                                        const std::vector<std::string_view>& after) {
  const auto text_of = [](const std::vector<std::string_view>& lines) {
    std::string text;
    for (const std::string_view line : lines) text += essence(line) + "\n";
    return text;
  };
  std::vector<int> changed;
  for (const Hunk& hunk : line_diff(text_of(before), text_of(after), 0))
    for (const DiffLine& line : hunk.lines)
      if (line.kind == LineKind::Added && !line.text.empty() && line.text.front() != '}')
        changed.push_back(static_cast<int>(line.after));
  return changed;
}

}  // namespace loopglass::views
