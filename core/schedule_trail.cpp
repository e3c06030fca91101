#include "core/schedule_trail.h"

#include "core/network_roofline.h"
#include "core/script/replayer.h"

#include <fmt/format.h>

namespace loopglass {

namespace {

// The kernel under the beginning of its schedule.
Result<KernelStages> begun(const KernelStages& whole, schedule::Trace beginning,
                           const Toolchain& toolchain, const Cancellation& cancellation) {
  const kernel::Tools tools{toolchain.machine, toolchain.loop_passes};
  KernelStages stages = whole;
  static_cast<kernel::Lowered&>(stages) = TRY(
      kernel::lower(TRY(kernel::schedule(whole.initial, std::move(beginning), tools, cancellation)),
                    tools, cancellation));
  return stages;
}

}  // namespace

Result<ScheduleTrail> schedule_trail(Session& session, const fusion::Group& group,
                                     const roofline::Verdict& whole, const roofline::Roofs& roofs,
                                     measure::WorkerPool& workers, const Progress& progress,
                                     const Cancellation& cancellation) {
  const auto kernel = TRY(session.kernel(group.id, cancellation));
  const auto primitives = static_cast<std::int64_t>(kernel->schedule.size());
  ScheduleTrail trail;
  const auto judge = [&](const schedule::Trace& beginning) -> Result<roofline::Verdict> {
    const KernelStages stages = TRY(begun(*kernel, beginning, session.toolchain(), cancellation));
    return roofline::verdict_of(
        roofline_question(stages, session.toolchain().machine, whole.threads), roofs, workers,
        cancellation);
  };
  // After the instruction, nullptr: before the first.
  const auto add = [&](const schedule::Instruction* last,
                       const schedule::Trace& beginning) -> Result<void> {
    const auto step = static_cast<std::int64_t>(trail.steps.size() + trail.left_out.size());
    const std::string primitive = last ? last->primitive : "";
    const std::string line = last ? schedule::to_script(*last) : "as it is written";
    if (progress) progress(line, static_cast<double>(step) / static_cast<double>(primitives + 1));
    if (step == primitives) {
      trail.steps.push_back({step, primitive, line, whole});
      return {};
    }
    auto verdict = judge(beginning);
    if (verdict) {
      trail.steps.push_back({step, primitive, line, *std::move(verdict)});
      return {};
    }
    if (verdict.error().code == Code::Cancelled) return std::unexpected(verdict.error());
    trail.left_out.push_back(fmt::format("{}: {}", line, verdict.error().what));
    return {};
  };
  schedule::Trace beginning;
  TRY_VOID(add(nullptr, beginning));
  for (const schedule::Instruction& instruction : kernel->trace.instructions) {
    beginning.instructions.push_back(instruction);
    if (!schedule::is_look_up(instruction.primitive)) TRY_VOID(add(&instruction, beginning));
  }
  return trail;
}

}  // namespace loopglass
