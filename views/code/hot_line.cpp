#include "views/code/hot_line.h"

#include <algorithm>
#include <array>
#include <utility>

namespace loopglass::views {
namespace {

bool has_any(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(), [&](std::string_view part) {
    return text.find(part) != std::string_view::npos;
  });
}

bool multiplies(std::string_view text) {
  return is_vector_line(text) &&
         has_any(text, {"fmadd", "mulps", "mulpd", "fmul ", "llvm.fma", "vpmul", "vpdp"});
}

// "4:", "loop.body:  ; preds = %entry", ".LBB0_2:", "kernel:"
bool is_label(std::string_view text) {
  if (text.empty() || text.front() == ' ' || text.front() == '\t' || text.front() == ';' ||
      text.front() == '#')
    return false;
  const std::string_view word = text.substr(0, text.find_first_of(" \t"));
  return word.size() > 1 && word.back() == ':';
}

bool is_head(std::string_view text) {
  return text.starts_with("define ") || (is_label(text) && text.front() != '.');
}

}  // namespace

int Opening::begin(const std::vector<codegen::SourceLine>& lines) {
  line_ = opening_line(lines);
  return *line_;
}

bool Opening::is_left_for(const std::vector<int>& selected) {
  if (!line_ || selected.empty()) return false;
  return std::ranges::find(selected, *std::exchange(line_, {})) == selected.end();
}

bool is_vector_line(std::string_view text) {
  return has_any(text, {"ymm", "zmm", "xmm", " x float>", " x double>", " x half>", " x i"});
}

bool is_of_one_lane(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return false;
  const std::string_view mnemonic = text.substr(begin, text.find_first_of(" \t", begin) - begin);
  return (mnemonic.ends_with("ss") || mnemonic.ends_with("sd")) &&
         mnemonic.find("broadcast") == std::string_view::npos;
}

std::optional<int> longest_run(const std::vector<codegen::SourceLine>& lines,
                               const std::function<bool(std::string_view)>& hot) {
  constexpr int longest_gap = 4;
  std::optional<int> best;
  int most = 0, start = 0, count = 0, gap = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!hot(lines[i].text)) {
      if (++gap > longest_gap) count = 0;
      continue;
    }
    if (count == 0) start = static_cast<int>(i) + 1;
    gap = 0;
    if (++count > most) {
      most = count;
      best = start;
    }
  }
  return best;
}

int hot_line(const std::vector<codegen::SourceLine>& lines) {
  if (const auto products = longest_run(lines, multiplies)) return *products;
  return longest_run(lines, is_vector_line).value_or(1);
}

int opening_line(const std::vector<codegen::SourceLine>& lines) {
  const auto text_of = [&](int line) -> std::string_view {
    return lines[static_cast<std::size_t>(line - 1)].text;
  };
  const int hot = hot_line(lines);
  for (int line = std::min(hot, static_cast<int>(lines.size())); line > 1; --line)
    if (is_label(text_of(line)) || is_head(text_of(line))) return line;
  const auto head = std::ranges::find_if(lines, is_head, &codegen::SourceLine::text);
  return head == lines.end() ? 1 : static_cast<int>(head - lines.begin()) + 1;
}

}  // namespace loopglass::views
