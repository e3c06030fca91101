#include "app/common/place.h"

#include "app/common/numbers.h"
#include "app/common/vocabulary.h"
#include "core/pass/position.h"

namespace loopglass::app {

Option add_place(Command command, const std::string& name, std::string& place,
                 const std::string& doc) {
  return command.add_option(name, place, doc + " (3, 3:2, simplify, simplify#2:4, input, last)")
      .check(not_blank())
      .type_name("PLACE")
      .suggests(place_words);
}

Result<std::size_t> choose_step(const std::string& place, const std::vector<std::string>& names,
                                const std::string& option) {
  if (names.empty()) return fail(Code::UsageInvalid, "there is nothing to show at this stage");
  if (place.empty()) return names.size() - 1;
  std::vector<pass::NamedStep> steps;
  for (const std::string& name : names) steps.push_back({name});
  auto position = pass::parse_position(place, steps);
  if (position) return position->step;
  position.error().where = option;
  return std::unexpected(std::move(position).error());
}

std::vector<std::string> schedule_steps(const KernelStages& kernel) {
  std::vector<std::string> names{"input"};
  for (const schedule::ScheduleStep& step : kernel.schedule)
    names.push_back(step.instruction.primitive);
  return names;
}

}  // namespace loopglass::app
