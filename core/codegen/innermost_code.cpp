#include "core/codegen/innermost_code.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <vector>

namespace loopglass::codegen {
namespace {

// From labels to jumps back to them; the last such jump of each.
std::vector<LoopSpan> loops_of(const SourceLines& assembly) {
  std::map<std::string_view, LoopSpan> loops;  // by label
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
      loops.insert_or_assign(label, LoopSpan{known->second, number});
  }
  std::vector<LoopSpan> spans;
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

bool moves_lanes(std::string_view word) {
  constexpr std::array moves{"vperm",   "vpermt", "vshuf",     "vpshuf",  "vunpck", "vpunpck",
                             "vinsert", "vpinsr", "vextract",  "vpextr",  "valign", "vpalign",
                             "vmovlh",  "vmovhl", "vcompress", "vexpand", "vblend", "vpblend",
                             "shufp",   "pshuf",  "unpck",     "punpck",  "pinsr",  "pextr"};
  return std::ranges::any_of(moves, [&](const char* move) { return word.starts_with(move); });
}

// Of vectors.
bool converts(std::string_view word) {
  constexpr std::array conversions{"vcvt",  "vpmovzx", "vpmovsx", "vpsrl",  "vpsra",
                                   "vpsll", "vpand",   "vpor",    "pmovzx", "pmovsx",
                                   "psrl",  "psra",    "psll",    "pand",   "cvtdq2ps"};
  return std::ranges::any_of(conversions, [&](const char* each) { return word.starts_with(each); });
}

// Of more than one lane.
bool is_on_vectors(std::string_view line, std::string_view word) {
  return line.find("zmm") != std::string_view::npos || line.find("ymm") != std::string_view::npos ||
         (line.find("xmm") != std::string_view::npos && !word.ends_with("ss") &&
          !word.ends_with("sd") && word.starts_with('v'));
}

}  // namespace

std::string_view instruction_of(std::string_view line) {
  line = line.substr(0, line.find('#'));
  const std::size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  const std::string_view word = line.substr(begin, line.find_first_of(" \t", begin) - begin);
  return word.ends_with(':') || word.starts_with('.') ? std::string_view() : word;
}

bool is_within(const LoopSpan& loop, const LoopSpan& other) {
  return loop.first > other.first && loop.last < other.last;
}

std::vector<LoopSpan> all_loops(const SourceLines& assembly) {
  std::vector<LoopSpan> loops = loops_of(assembly);
  std::ranges::sort(loops, {}, &LoopSpan::first);
  return loops;
}

std::vector<LoopSpan> innermost_loops(const SourceLines& assembly) {
  const std::vector<LoopSpan> all = all_loops(assembly);
  std::vector<LoopSpan> loops;
  std::ranges::copy_if(all, std::back_inserter(loops), [&](const LoopSpan& loop) {
    return std::ranges::none_of(all, [&](const LoopSpan& other) { return is_within(other, loop); });
  });
  return loops;
}

namespace {

bool multiplies_and_adds(std::string_view word) {
  constexpr std::string_view words[] = {"vfmadd",   "vfnmadd",  "vfmsub",   "vfnmsub",
                                        "vpdpbusd", "vpdpwssd", "vpmaddwd", "pmaddwd"};
  return std::ranges::any_of(words, [&](std::string_view each) { return word.starts_with(each); });
}

// Adds, multiplies or divides floats, and nothing else with them.
bool has_one_operation(std::string_view word) {
  constexpr std::string_view words[] = {"add", "sub", "mul", "div"},
                             types[] = {"ps", "pd", "ss", "sd"};
  if (word.starts_with('v')) word.remove_prefix(1);
  return word.size() == 5 &&
         std::ranges::any_of(words, [&](auto each) { return word.starts_with(each); }) &&
         std::ranges::any_of(types, [&](auto each) { return word.ends_with(each); });
}

}  // namespace

int multiply_adds(const SourceLines& assembly, const LoopSpan& loop) {
  int count = 0;
  for (std::size_t number = loop.first; number <= loop.last; ++number)
    count += multiplies_and_adds(instruction_of(assembly[number].text));
  return count;
}

bool has_other_arithmetic(const SourceLines& assembly, const LoopSpan& loop) {
  for (std::size_t number = loop.first; number <= loop.last; ++number)
    if (has_one_operation(instruction_of(assembly[number].text))) return true;
  return false;
}

int multiply_add_operations(const SourceLines& assembly, const LoopSpan& loop) {
  int operations = 0;
  for (std::size_t number = loop.first; number <= loop.last; ++number) {
    const std::string& text = assembly[number].text;
    const std::string_view word = instruction_of(text);
    if (!multiplies_and_adds(word)) continue;
    const int bytes = text.find("zmm") != std::string::npos   ? 64
                      : text.find("ymm") != std::string::npos ? 32
                                                              : 16;
    // Per byte of the result: a lane of four has two, or four, or eight.
    operations += word.ends_with("dpbusd")                         ? bytes * 2
                  : word.ends_with("wssd") || word.ends_with("wd") ? bytes
                  : word.ends_with("ps")                           ? bytes / 2
                  : word.ends_with("pd")                           ? bytes / 4
                                                                   : 2;
  }
  return operations;
}

std::optional<LoopSpan> main_loop(const SourceLines& assembly) {
  const std::vector<LoopSpan> loops = innermost_loops(assembly);
  const auto most = std::ranges::max_element(loops, {}, [&](const LoopSpan& loop) {
    return std::pair(multiply_adds(assembly, loop), loop.last - loop.first);
  });
  return most == loops.end() ? std::nullopt : std::optional(*most);
}

Spills vector_spills(const SourceLines& assembly) {
  Spills spills;
  for (const LoopSpan& loop : innermost_loops(assembly))
    for (std::size_t number = loop.first; number <= loop.last; ++number) {
      spills.stores += is_note_of_vector(assembly[number].text, "Spill");
      spills.loads += is_note_of_vector(assembly[number].text, "Reload");
    }
  return spills;
}

InnermostInstructions innermost_instructions(const SourceLines& assembly) {
  InnermostInstructions count;
  for (const LoopSpan& loop : innermost_loops(assembly))
    for (std::size_t number = loop.first; number <= loop.last; ++number) {
      const std::string_view word = instruction_of(assembly[number].text);
      if (word.empty()) continue;
      ++count.all;
      count.moving_lanes += moves_lanes(word);
      count.converting += converts(word);
      count.gathering += word.starts_with("vgather") || word.starts_with("vpgather");
      count.on_vectors += is_on_vectors(assembly[number].text, word);
    }
  return count;
}

}  // namespace loopglass::codegen
