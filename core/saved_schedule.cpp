#include "core/saved_schedule.h"

#include "core/loop/source_lines.h"
#include "core/loop/text.h"
#include "core/support/hash.h"

#include <fmt/format.h>

namespace loopglass {
namespace {

struct Parsed {
  loop::Func nest;
  loop::NamelessForm form;
  schedule::Trace trace;
};

Result<Parsed> parse(const SavedSchedule& schedule, const Workloads& workloads) {
  const auto text = workloads.find(schedule.workload);
  if (text == workloads.end())
    return fail(
        Code::SessionCorrupt,
        fmt::format("there is no loop nest '{}', which a schedule is for", schedule.workload));
  Parsed parsed;
  parsed.nest = TRY(loop::parse(text->second));
  TRY_VOID(loop::verify(parsed.nest));
  parsed.form = loop::nameless_form(parsed.nest);
  if (kernel::workload_of(parsed.form) != schedule.workload)
    return fail(
        Code::SessionCorrupt,
        fmt::format("the loop nest '{}' is another one than its name says", schedule.workload));
  parsed.trace = TRY(schedule::parse_script(schedule.script));
  return parsed;
}

template <class Value>
Result<Value> of_kernel(Result<Value> result, const SavedSchedule& schedule) {
  if (result) return result;
  Diagnostic& problem = result.error();
  problem.where = problem.where.empty()
                      ? fmt::format("the schedule of {}", schedule.kernel)
                      : fmt::format("the schedule of {}: {}", schedule.kernel, problem.where);
  return result;
}

}  // namespace

std::optional<std::string> schedules_digest(const std::vector<SavedSchedule>& schedules) {
  if (schedules.empty()) return std::nullopt;
  Hasher hasher;
  for (const SavedSchedule& own : schedules)
    hasher.text(own.workload).text(own.script).value(own.script.size());
  return fmt::format("{:016x}", hasher.digest());
}

Result<kernel::Schedules::Own> read_schedule(const SavedSchedule& schedule,
                                             const Workloads& workloads) {
  Parsed parsed = TRY(of_kernel(parse(schedule, workloads), schedule));
  return kernel::Schedules::Own{std::move(parsed.form), std::move(parsed.trace)};
}

Result<void> check_schedule(const SavedSchedule& schedule, const Workloads& workloads) {
  const Parsed parsed = TRY(of_kernel(parse(schedule, workloads), schedule));
  const auto replayed = of_kernel(schedule::replay(parsed.nest, parsed.trace), schedule);
  if (!replayed) return std::unexpected(replayed.error());
  return {};
}

}  // namespace loopglass
