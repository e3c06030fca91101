#include "views/code/hot_line.h"

#include <algorithm>
#include <array>

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

}  // namespace

bool is_vector_line(std::string_view text) {
  return has_any(text, {"ymm", "zmm", "xmm", " x float>", " x double>", " x half>", " x i"});
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

}  // namespace loopglass::views
