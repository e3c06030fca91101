#include "app/loopglassc/bisect_llvm.h"
#include "app/common/times_json.h"
#include "app/loopglassc/turns_json.h"

#include "app/common/kernel_choice.h"
#include "app/common/numbers.h"
#include "app/common/status_line.h"
#include "app/common/worker.h"
#include "app/loopglassc/declare.h"
#include "core/codegen/llvm_pass_words.h"
#include "core/support/counted.h"
#include "core/support/readable_time.h"
#include "core/tuning_task.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace loopglass::app {

namespace {

using Json = nlohmann::ordered_json;
using debug::LlvmBisectReport;

void print(const LlvmBisectReport& report, const tune::Task& task) {
  fmt::print("{} by itself, on {}, compiled with LLVM's passes as far as\n\n", task.kernel,
             counted(static_cast<std::size_t>(task.threads), "thread"));
  std::size_t width = 4;
  for (const auto& [step, time] : report.milliseconds)
    width = std::max(width, report.steps[step].pass.size());
  fmt::print("{:>4}  {:<{}}{:>12}\n", "step", "pass", width, "median");
  for (const auto& [step, time] : report.milliseconds)
    fmt::print("{:>4}  {:<{}}{:>12}\n", step, report.steps[step].pass, width,
               readable_time(Milliseconds(time)));
  if (report.step == 0) {
    fmt::print("\nno pass changes the machine code\n");
    return;
  }
  const std::string& pass = report.steps[report.step].pass;
  const runtime::TimesInTurns& times = report.times;
  fmt::print("\nthe speed changes most with step {}, {}: {} before, {} after, {}\n", report.step,
             pass, readable_time(Milliseconds(times.before_ms)),
             readable_time(Milliseconds(times.after_ms)), runtime::ratio_words(times));
  if (const auto sentence = codegen::llvm_pass_sentence(pass); !sentence.empty())
    fmt::print("  {}\n", sentence);
  fmt::print("{}\n", runtime::chance_words(times));
}

Json to_json(const LlvmBisectReport& report, const tune::Task& task) {
  Json json{{"kernel", task.kernel}, {"threads", task.threads}};
  json["probes"] = Json::array();
  for (const auto& [step, time] : report.milliseconds)
    json["probes"].push_back(
        {{"step", step}, {"pass", report.steps[step].pass}, {"median_us", microseconds(time)}});
  json["step"] = report.step > 0 ? Json(report.step) : Json();
  json["pass"] = report.step > 0 ? Json(report.steps[report.step].pass) : Json();
  json["before_us"] = microseconds(report.times.before_ms);
  json["after_us"] = microseconds(report.times.after_ms);
  json.update(app::to_json(report.times));
  return json;
}

}  // namespace

Result<Exit> bisect_llvm(Session& session, const LlvmBisectAsked& asked) {
  const fusion::Group* group = TRY(choose_kernel(session, asked.kernel, "--kernel"));
  const auto kernel = TRY(session.kernel(group->id));
  if (kernel->is_view)
    return fail(Code::UsageInvalid, "the kernel needs no code", group->name,
                "its result lies where its operand does");
  const tune::Task task = tuning_task(kernel->initial, kernel->program, group->name,
                                      session.toolchain().machine, asked.threads);
  measure::WorkerPool workers(own_worker());
  StatusLine status;
  debug::LlvmBisectOptions options = asked.options;
  options.progress = status.progress();
  const LlvmBisectReport report = TRY(debug::bisect_llvm(task, *kernel, workers, options));
  status.end();
  if (asked.json) print_json(Schema::BisectLlvm, session.model_name(), to_json(report, task));
  else print(report, task);
  return runtime::is_certain(report.times) ? Exit::Bad : Exit::Good;
}

}  // namespace loopglass::app
