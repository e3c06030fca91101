#include "core/pass/position.h"

#include "core/support/suggestion.h"

#include <fmt/format.h>

namespace loopglass::pass {

namespace {

std::unexpected<Diagnostic> unknown(std::string what, std::string hint) {
  return fail(Code::UsageInvalid, std::move(what), {}, std::move(hint));
}

Result<std::size_t> find_step(const StopAfter& place, std::span<const NamedStep> steps) {
  const std::string last = fmt::format("the last is {} ({})", steps.size() - 1, steps.back().name);
  if (place.pass.empty()) {
    if (place.occurrence < steps.size()) return place.occurrence;
    return unknown(fmt::format("there is no step {}", place.occurrence), last);
  }
  std::size_t applications = 0;
  std::vector<std::string> names{"input", "last"};
  for (std::size_t step = 0; step < steps.size(); ++step) {
    if (steps[step].name == place.pass && ++applications == place.occurrence) return step;
    names.emplace_back(steps[step].name);
  }
  if (applications > 0)
    return unknown(fmt::format("'{}' ran {} times", place.pass, applications), last);
  if (place.occurrence == 1 && place.pass == "input") return 0;
  if (place.occurrence == 1 && place.pass == "last") return steps.size() - 1;
  return unknown(fmt::format("there is no step '{}'", place.pass),
                 did_you_mean(place.pass, names, last));
}

}  // namespace

Result<Position> parse_position(std::string_view text, std::span<const NamedStep> steps) {
  const StopAfter place = TRY(parse_stop_after(text));
  Position position{TRY(find_step(place, steps)), place.rewrites};
  if (position.rewrites == Report::all) return position;
  const NamedStep& step = steps[position.step];
  if (!step.rewrites)
    return unknown(fmt::format("step {} ({}) has no middle to stop in", position.step, step.name),
                   "name the step alone");
  if (position.rewrites > *step.rewrites)
    return unknown(fmt::format("step {} made {} rewrites, not {}", position.step, *step.rewrites,
                               position.rewrites),
                   fmt::format("from {0}:0 to {0}:{1}", position.step, *step.rewrites));
  if (position.rewrites == *step.rewrites) position.rewrites = Report::all;
  return position;
}

Result<Position> parse_position(std::string_view text, const GraphHistory& history) {
  std::vector<NamedStep> steps;
  for (const auto& step : history.steps) steps.push_back({step.pass.name, step.rewrites.size()});
  return parse_position(text, steps);
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
