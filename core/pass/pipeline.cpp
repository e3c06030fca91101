#include "core/pass/pipeline.h"

#include "core/support/text_cursor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>

namespace loopglass::pass {

namespace {

// Letters, digits, underscores and hyphens: "fold-constants".
Result<std::string> pass_name(TextCursor& cursor) {
  std::string name = TRY(cursor.identifier());
  while (cursor.accept_character('-')) name += "-" + TRY(cursor.identifier());
  return name;
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
                fmt::format("there are: {}", fmt::join(names, ", ")));
  }

  Result<Pipeline> expand(const std::string& name) {
    for (const Preset& preset : presets_)
      if (preset.name == name) return Parser(preset.text, passes_, presets_)();
    std::vector<std::string> names;
    for (const Preset& preset : presets_) names.push_back(preset.name);
    return fail(Code::PassUnknown, fmt::format("there is no preset '{}'", name), {},
                fmt::format("there are: {}", fmt::join(names, ", ")));
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
  TextCursor cursor(text);
  StopAfter stop{TRY(pass_name(cursor))};
  const auto count = [&](std::int64_t least) -> Result<std::size_t> {
    const std::int64_t value = TRY(cursor.integer());
    if (value < least) return cursor.error(fmt::format("expected a number from {}", least));
    return static_cast<std::size_t>(value);
  };
  if (cursor.accept_character('#')) stop.occurrence = TRY(count(1));
  if (cursor.accept_character(':')) stop.rewrites = TRY(count(0));
  if (!cursor.at_end())
    return cursor.error("expected pass, pass:rewrites or pass#occurrence:rewrites");
  return stop;
}

std::string to_text(const StopAfter& stop) {
  std::string text = stop.pass;
  if (stop.occurrence != 1) text += fmt::format("#{}", stop.occurrence);
  if (stop.rewrites != Report::all) text += fmt::format(":{}", stop.rewrites);
  return text;
}

}  // namespace loopglass::pass
