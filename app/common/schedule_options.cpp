#include "app/common/schedule_options.h"

#include "app/common/kernel_choice.h"
#include "app/common/numbers.h"
#include "app/common/text_file.h"
#include "app/common/tuning_records.h"
#include "core/equal_kernels.h"
#include "core/saved_session.h"
#include "core/support/counted.h"
#include "core/support/whole_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ranges>
#include <set>

namespace loopglass::app {

namespace {

struct Target {
  const fusion::Group* group;
  std::string file;
};

// "KERNEL=FILE", or a file for the only kernel. Names of kernels and of files may both have equal
// signs: what stands before one is a kernel where there is one of that name.
Result<Target> target_of(Session& session, const std::string& text, const std::string& option) {
  for (std::size_t at = text.find('='); at != std::string::npos; at = text.find('=', at + 1)) {
    const auto chosen = choose_kernels(session, text.substr(0, at));
    if (at > 0 && chosen && chosen->size() == 1)
      return Target{chosen->front(), text.substr(at + 1)};
  }
  const auto only = choose_kernel(session, "", option);
  if (only) return Target{*only, text};
  Diagnostic problem = only.error();
  // What is wrong with the model is not the option's.
  if (problem.where != option) return std::unexpected(std::move(problem));
  if (const std::size_t at = text.find('='); at != std::string::npos)
    problem.what = fmt::format("there is no kernel '{}'", text.substr(0, at));
  problem.hint = fmt::format("{} KERNEL=FILE; {}", option, problem.hint);
  return std::unexpected(std::move(problem));
}

// What is wrong with a script, and in which file.
std::unexpected<Diagnostic> in_file(Diagnostic problem, const std::string& file) {
  problem.where = problem.where.empty() ? file : fmt::format("{}: {}", file, problem.where);
  return std::unexpected(std::move(problem));
}

// All that a window's session has, of whatever kernels.
Result<void> set_schedules_of(Session& session, const std::string& file) {
  const SavedSession saved = TRY(read_session(file));
  for (const SavedSchedule& schedule : saved.asked.schedules) {
    if (const auto legal = check_schedule(schedule, saved.workloads); !legal)
      return in_file(legal.error(), file);
    kernel::Schedules::Own own = TRY(read_schedule(schedule, saved.workloads));
    session.set_schedule(own.nest, std::move(own.trace));
  }
  return {};
}

// Whom else a kernel's script schedules.
Result<void> tell_equal_kernels(Session& session, const fusion::Group& group) {
  constexpr std::size_t named = 3;
  const auto plan = TRY(session.plan());
  const std::vector<fusion::GroupId> equal = TRY(equal_kernels(session, group.id));
  if (equal.empty()) return {};
  std::vector<std::string> names;
  for (const fusion::GroupId id : equal | std::views::take(named))
    names.push_back(fmt::format("{} ({})", plan->group(id).name, id.value));
  if (equal.size() > named) names.push_back(fmt::format("{} more", equal.size() - named));
  fmt::print(stderr, "note: the script of {} also schedules {} that {} the same: {}\n", group.name,
             counted(equal.size(), "kernel"), equal.size() == 1 ? "computes" : "compute",
             fmt::join(names, ", "));
  return {};
}

Result<void> set_schedule(Session& session, const std::string& text) {
  if (is_session_file(text)) return set_schedules_of(session, text);
  const Target target = TRY(target_of(session, text, "--schedule"));
  const std::string script = TRY(read_text(target.file, "the schedule", "--schedule",
                                           "name a file of lines like 'split(i, [-1, 8])'"));
  auto trace = schedule::parse_script(script);
  if (!trace) return in_file(trace.error(), target.file);
  TRY(session.kernel(target.group->id));  // what is wrong without the script is not its fault
  session.set_schedule(target.group->id, std::move(*trace));
  const auto scheduled = session.kernel(target.group->id);
  if (!scheduled) return in_file(scheduled.error(), target.file);
  return tell_equal_kernels(session, *target.group);
}

// `written`: files that others have been written to.
Result<void> save_schedule(Session& session, const std::string& text,
                           std::set<std::string>& written) {
  const Target target = TRY(target_of(session, text, "--save-schedule"));
  if (!written.insert(target.file).second)
    return fail(Code::UsageInvalid, fmt::format("'{}' is to have two scripts", target.file),
                "--save-schedule", "name a file for each kernel");
  const auto kernel = TRY(session.kernel(target.group->id));
  TRY_VOID(write_file(
      target.file, fmt::format("// {}\n{}", target.group->name, schedule::to_script(kernel->trace)),
      {Code::FileUnwritable, "the schedule"}));
  fmt::print(stderr, "note: {} has the script of {}\n", target.file, target.group->name);
  return {};
}

constexpr const char* of_schedules = "Schedules";

}  // namespace

void add_schedules(Command command, ModelOptions& options) {
  options.of_session = ModelOptions::Schedules::Taken;
  command
      .add_option("--schedule", options.schedules,
                  "a script for a kernel, by name or number, and for all that compute the same; "
                  "for the only one without KERNEL=; of a session's file (.loopglass) all that are "
                  "in it")
      .check(not_blank())
      .type_name("[KERNEL=]FILE")
      .allow_extra_args(false)
      .group(of_schedules);
  command
      .add_option("--save-schedule", options.saved_schedules,
                  "writes the script that a kernel is scheduled by")
      .check(not_blank())
      .type_name("[KERNEL=]FILE")
      .allow_extra_args(false)
      .group(of_schedules);
  command
      .add_option("--records", options.records,
                  "schedules kernels by the fastest that 'tune' has measured here, of this file")
      .check(not_blank())
      .type_name("FILE")
      .allow_extra_args(false)
      .group(of_schedules);
}

Result<void> set_schedules(Session& session, const ModelOptions& options) {
  // A script that a person gives goes before what was measured.
  TRY_VOID(apply_records(session, options.records));
  for (const std::string& text : options.schedules) TRY_VOID(set_schedule(session, text));
  std::set<std::string> written;
  for (const std::string& text : options.saved_schedules)
    TRY_VOID(save_schedule(session, text, written));
  return {};
}

}  // namespace loopglass::app
