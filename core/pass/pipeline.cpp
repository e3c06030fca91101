#include "core/pass/pipeline.h"

#include "core/support/suggestion.h"
#include "core/support/text_cursor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <cctype>
#include <charconv>

namespace loopglass::pass {

namespace {

// Letters, digits, underscores and hyphens: "fold-constants".
Result<std::string> pass_name(TextCursor& cursor) {
  std::string name = TRY(cursor.identifier());
  while (cursor.accept_character('-')) name += "-" + TRY(cursor.identifier());
  return name;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// Digits alone; nullopt also where they say more than can be counted.
std::optional<std::size_t> whole_number(std::string_view text) {
  text = trimmed(text);
  std::size_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

class Parser {
 public:
  Parser(std::string_view text, std::span<const PassInfo> passes, std::span<const Preset> presets)
      : cursor_(text), passes_(passes), presets_(presets) {}

  Result<Pipeline> operator()() {
    Pipeline pipeline;
    if (cursor_.at_end()) return pipeline;
    do {
      if (cursor_.accept_character('(')) {
        pipeline.entries.push_back(TRY(group()));
      } else if (cursor_.accept_character('@')) {
        const Pipeline preset = TRY(expand(TRY(pass_name(cursor_))));
        pipeline.entries.insert(pipeline.entries.end(), preset.entries.begin(),
                                preset.entries.end());
      } else {
        pipeline.entries.push_back({{TRY(known_pass())}, false});
      }
    } while (cursor_.accept_character(','));
    if (!cursor_.at_end()) return cursor_.error("expected ',' or the end of the pipeline");
    return pipeline;
  }

 private:
  Result<PipelineEntry> group() {
    PipelineEntry entry{{}, true};
    do entry.passes.push_back(TRY(known_pass()));
    while (cursor_.accept_character(','));
    TRY_VOID(cursor_.expect(")"));
    TRY_VOID(cursor_.expect("*"));
    return entry;
  }

  Result<std::string> known_pass() {
    const std::string name = TRY(pass_name(cursor_));
    std::vector<std::string> names;
    for (const PassInfo& info : passes_) names.push_back(info.name);
    if (std::find(names.begin(), names.end(), name) != names.end()) return name;
    return fail(Code::PassUnknown, fmt::format("there is no graph pass '{}'", name), {},
                did_you_mean(name, names, fmt::format("there are: {}", fmt::join(names, ", "))));
  }

  Result<Pipeline> expand(const std::string& name) {
    for (const Preset& preset : presets_)
      if (preset.name == name) return Parser(preset.text, passes_, presets_)();
    std::vector<std::string> names;
    for (const Preset& preset : presets_) names.push_back(preset.name);
    return fail(Code::PassUnknown, fmt::format("there is no preset '{}'", name), {},
                did_you_mean(name, names, fmt::format("there are: {}", fmt::join(names, ", "))));
  }

  TextCursor cursor_;
  std::span<const PassInfo> passes_;
  std::span<const Preset> presets_;
};

}  // namespace

Result<Pipeline> parse_pipeline(std::string_view text, std::span<const PassInfo> passes,
                                std::span<const Preset> presets) {
  for (const Preset& preset : presets)
    if (preset.name == text) return Parser(preset.text, passes, presets)();
  return Parser(text, passes, presets)();
}

std::string to_text(const Pipeline& pipeline) {
  std::vector<std::string> entries;
  for (const PipelineEntry& entry : pipeline.entries)
    entries.push_back(fmt::format(fmt::runtime(entry.fixed_point ? "({})*" : "{}"),
                                  fmt::join(entry.passes, ", ")));
  return fmt::format("{}", fmt::join(entries, ", "));
}

Result<StopAfter> parse_stop_after(std::string_view text) {
  const auto malformed = [&] {
    return fail(Code::UsageInvalid, fmt::format("'{}' is no place in the history", text), {},
                "write a step's number, a pass's name or its n-th application, and the rewrites "
                "made after a colon: 3, 3:2, simplify, simplify#2:4, input, last");
  };
  StopAfter stop;
  std::string_view rest = text;
  if (const std::size_t colon = rest.rfind(':'); colon != std::string_view::npos) {
    const auto rewrites = whole_number(rest.substr(colon + 1));
    if (!rewrites) return malformed();
    stop.rewrites = *rewrites;
    rest = rest.substr(0, colon);
  }
  if (const auto step = whole_number(rest)) return StopAfter{{}, *step, stop.rewrites};
  if (const std::size_t hash = rest.rfind('#'); hash != std::string_view::npos) {
    const auto occurrence = whole_number(rest.substr(hash + 1));
    if (occurrence.value_or(0) == 0) return malformed();
    stop.occurrence = *occurrence;
    rest = rest.substr(0, hash);
  }
  rest = trimmed(rest);
  const bool is_name = !rest.empty() && rest.find_first_of("#:") == std::string_view::npos &&
                       std::isdigit(static_cast<unsigned char>(rest.front())) == 0;
  if (!is_name) return malformed();
  stop.pass = rest;
  return stop;
}

std::string to_text(const StopAfter& stop) {
  std::string text = stop.pass.empty() ? fmt::format("{}", stop.occurrence) : stop.pass;
  if (!stop.pass.empty() && stop.occurrence != 1) text += fmt::format("#{}", stop.occurrence);
  if (stop.rewrites != Report::all) text += fmt::format(":{}", stop.rewrites);
  return text;
}

}  // namespace loopglass::pass
