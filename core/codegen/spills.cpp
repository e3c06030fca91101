#include "core/codegen/spills.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

namespace loopglass::codegen {
namespace {

struct Span {
  std::size_t first, last;  // lines
};

// From labels to jumps back to them; the last such jump of each.
std::vector<Span> loops_of(const SourceLines& assembly) {
  std::map<std::string_view, Span> loops;  // by label
  std::map<std::string_view, std::size_t> labels;
  for (std::size_t number = 0; number < assembly.size(); ++number) {
    std::string_view line = assembly[number].text;
    line = line.substr(0, line.find('#'));
    if (const std::size_t colon = line.find(':'); colon != std::string_view::npos) {
      const std::string_view label = line.substr(0, colon);
      labels[label.substr(std::min(label.find_first_not_of(" \t"), label.size()))] = number;
      continue;
    }
    const std::size_t jump = line.find_first_not_of(" \t");
    if (jump == std::string_view::npos || line[jump] != 'j') continue;
    const std::size_t target = line.find(".L", jump);
    if (target == std::string_view::npos) continue;
    const std::string_view label = line.substr(target, line.find_first_of(" \t,", target) - target);
    if (const auto known = labels.find(label); known != labels.end())
      loops.insert_or_assign(label, Span{known->second, number});
  }
  std::vector<Span> spans;
  for (const auto& [label, span] : loops) spans.push_back(span);
  return spans;
}

// "16-byte Spill", "64-byte Folded Reload": of a vector register.
bool is_note_of_vector(std::string_view line, std::string_view what) {
  const std::size_t note = line.find('#');
  if (note == std::string_view::npos) return false;
  const std::string_view words = line.substr(note);
  return words.ends_with(what) && (words.find("16-byte") != std::string_view::npos ||
                                   words.find("32-byte") != std::string_view::npos ||
                                   words.find("64-byte") != std::string_view::npos);
}

}  // namespace

Spills vector_spills(const SourceLines& assembly) {
  const std::vector<Span> loops = loops_of(assembly);
  Spills spills;
  for (const Span& loop : loops) {
    const bool is_innermost = std::ranges::none_of(loops, [&](const Span& other) {
      return other.first > loop.first && other.last < loop.last;
    });
    if (!is_innermost) continue;
    for (std::size_t number = loop.first; number <= loop.last; ++number) {
      spills.stores += is_note_of_vector(assembly[number].text, "Spill");
      spills.loads += is_note_of_vector(assembly[number].text, "Reload");
    }
  }
  return spills;
}

}  // namespace loopglass::codegen
