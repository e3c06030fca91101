#include "app/loopglassc/tune_wishes.h"

#include "app/common/kernel_choice.h"
#include "app/common/text_file.h"
#include "core/script/sampling.h"
#include "core/script/trace.h"
#include "core/tuning_task.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace loopglass::app {

namespace {

using tune::Task;

struct OfKernel {
  std::string kernel;  // empty: it does not say
  std::string wish;
};

// Knobs have no colon, and a value may have any.
OfKernel of_knob(const std::string& text) {
  const auto colon = text.substr(0, text.find('=')).rfind(':');
  if (colon == std::string::npos) return {{}, text};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

// Files may have colons in their names, and kernels, too: what is there is what is meant.
OfKernel of_file(const std::string& text) {
  const auto first = text.find(':');
  std::error_code unseen;
  if (first == std::string::npos || std::filesystem::exists(text, unseen)) return {{}, text};
  for (auto colon = first; colon != std::string::npos; colon = text.find(':', colon + 1))
    if (std::filesystem::exists(text.substr(colon + 1), unseen))
      return {text.substr(0, colon), text.substr(colon + 1)};
  return {text.substr(0, first), text.substr(first + 1)};
}

// Whether it can be written for the kernel.
Result<void> check_legal(const std::string& script, const std::string& file, const Task& task) {
  const auto trace = TRY(schedule::parse_script(script));
  if (auto legal = schedule::settled(task.nest, trace); !legal) {
    Diagnostic problem = std::move(legal).error();
    problem.where = fmt::format("{}, for {}{}{}", file, task.kernel,
                                problem.where.empty() ? "" : ": ", problem.where);
    return std::unexpected(std::move(problem));
  }
  return {};
}

// The task of that kernel, or of one that computes the same.
Result<Task*> task_of(const OfKernel& said, Session& session, std::vector<Task>& tasks,
                      const char* option) {
  if (said.kernel.empty()) {
    if (tasks.size() == 1) return &tasks.front();
    return fail(
        Code::UsageInvalid, "knobs and scripts are of one kernel", option,
        fmt::format("say of which: {} KERNEL:{}, by its name or its number, or --kernel KERNEL",
                    option, said.wish));
  }
  for (const Task& one : tuning_tasks(session, TRY(choose_kernels(session, said.kernel, option)),
                                      tasks.front().threads)) {
    const auto found = std::ranges::find(tasks, workload_of(one),
                                         [](const Task& task) { return workload_of(task); });
    if (found != tasks.end()) return &*found;
  }
  return fail(Code::UsageInvalid, fmt::format("'{}' is not tuned here", said.kernel), option,
              "it is not run, or --kernel chooses others");
}

}  // namespace

Result<std::string> read_script(const std::string& file, const char* what, const char* option,
                                const char* hint) {
  std::string script = TRY(read_text(file, what, option, hint));
  if (auto parsed = schedule::parse_script(script); !parsed) {
    Diagnostic problem = std::move(parsed).error();
    problem.where = file + (problem.where.empty() ? "" : ", " + problem.where);
    return std::unexpected(std::move(problem));
  }
  return script;
}

Result<void> grant(const TuneWishes& wishes, Session& session, std::vector<Task>& tasks) {
  using Kind = tune::KnobRule::Kind;
  for (const auto& [texts, kind, option] : {std::tuple(&wishes.pins, Kind::Pin, "--pin"),
                                            std::tuple(&wishes.bans, Kind::Forbid, "--ban")}) {
    std::string kernel;
    for (const std::string& text : *texts) {
      OfKernel said = of_knob(text);
      // K:a=1,b=2: what says no kernel is of the one before it.
      if (said.kernel.empty()) said.kernel = kernel;
      kernel = said.kernel;
      tune::KnobRule rule = TRY(tune::knob_rule(kind, said.wish));
      Task* task = TRY(task_of(said, session, tasks, option));
      task->rules.push_back(std::move(rule));
    }
  }
  for (const std::string& text : wishes.tries) {
    const OfKernel said = of_file(text);
    std::string script =
        TRY(read_script(said.wish, "the script", "--try", "name a file with a schedule's script"));
    Task* task = TRY(task_of(said, session, tasks, "--try"));
    TRY_VOID(check_legal(script, said.wish, *task));
    if (std::ranges::find(task->own_scripts, script) == task->own_scripts.end())
      task->own_scripts.push_back(std::move(script));
  }
  return {};
}

}  // namespace loopglass::app
