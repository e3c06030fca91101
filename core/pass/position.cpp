#include "core/pass/position.h"

#include "core/support/text_cursor.h"

#include <fmt/format.h>
#include <cctype>

namespace loopglass::pass {

namespace {

std::unexpected<Diagnostic> unknown(std::string what) {
  return fail(Code::UsageInvalid, std::move(what), {},
              "write a step's number, a pass's name or its n-th application, and the rewrites made "
              "after a colon: "
              "3, 3:2, simplify, simplify#2:4, input, last");
}

// A bare number is a step, as is "last".
Result<Position> parse_numbered(std::string_view text, const GraphHistory& history) {
  TextCursor cursor(text);
  Position position;
  if (cursor.accept("last")) {
    position.step = history.steps.size() - 1;
  } else {
    const std::int64_t step = TRY(cursor.integer());
    if (step < 0 || step >= std::ssize(history.steps))
      return unknown(
          fmt::format("there is no step {}; the last is {}", step, history.steps.size() - 1));
    position.step = static_cast<std::size_t>(step);
  }
  if (cursor.accept_character(':')) {
    const std::int64_t rewrites = TRY(cursor.integer());
    if (rewrites < 0) return unknown(fmt::format("{} rewrites cannot have been made", rewrites));
    position.rewrites = static_cast<std::size_t>(rewrites);
  }
  if (!cursor.at_end()) return unknown(fmt::format("'{}' is no place in the history", text));
  return position;
}

Result<Position> parse_named(std::string_view text, const GraphHistory& history) {
  const auto named = parse_stop_after(text);
  if (!named) return unknown(fmt::format("'{}' is no place in the history", text));
  std::size_t applications = 0;
  for (std::size_t step = 0; step < history.steps.size(); ++step)
    if (history.steps[step].pass.name == named->pass && ++applications == named->occurrence)
      return Position{step, named->rewrites};
  if (applications == 0) return unknown(fmt::format("the history has no step '{}'", named->pass));
  return unknown(fmt::format("'{}' ran {} times", named->pass, applications));
}

}  // namespace

Result<Position> parse_position(std::string_view text, const GraphHistory& history) {
  const bool numbered = text == "last" || text.starts_with("last:") ||
                        (!text.empty() && std::isdigit(static_cast<unsigned char>(text.front())));
  const Position position =
      TRY(numbered ? parse_numbered(text, history) : parse_named(text, history));
  const std::size_t made = history.steps[position.step].rewrites.size();
  if (position.rewrites != Report::all && position.rewrites > made)
    return unknown(
        fmt::format("step {} made {} rewrites, not {}", position.step, made, position.rewrites));
  return normalised(position, history);
}

Position normalised(Position position, const GraphHistory& history) {
  if (position.rewrites >= history.steps[position.step].rewrites.size())
    position.rewrites = Report::all;
  return position;
}

std::string to_text(const Position& position) {
  return position.rewrites == Report::all ? fmt::format("{}", position.step)
                                          : fmt::format("{}:{}", position.step, position.rewrites);
}

std::string describe(const Position& position, const GraphHistory& history) {
  const auto& step = history.steps[position.step];
  std::string text = fmt::format("step {} ({})", position.step, step.pass.name);
  if (position.rewrites != Report::all)
    text += fmt::format(" after {} of {} rewrites", position.rewrites, step.rewrites.size());
  return text;
}

}  // namespace loopglass::pass
