#include "views/document/kernel_steps.h"

#include "core/loop/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace loopglass::views {
namespace {

constexpr std::size_t most_kept = 4;

std::vector<LoopStep> steps_of(const KernelStages& stages) {
  std::vector<LoopStep> steps;
  steps.push_back({LoopStep::Kind::Initial, "tensor expressions, in program order",
                   "one block per stage under serial loops; the schedule starts here"});
  for (const schedule::ScheduleStep& step : stages.schedule)
    steps.push_back({LoopStep::Kind::Schedule, schedule::to_script(step.instruction), step.remark});
  for (std::size_t i = 1; i < stages.lowering.steps.size(); ++i) {
    const auto& step = stages.lowering.steps[i];
    std::string detail = step.pass.doc;
    for (const pass::Remark& remark : step.remarks)
      detail += fmt::format("\n{}: {}", remark.code, remark.text);
    steps.push_back({LoopStep::Kind::Lowering, step.pass.name, std::move(detail), step.changed});
  }
  return steps;
}

}  // namespace

Kernel::Kernel(std::shared_ptr<const KernelStages> stages)
    : stages(std::move(stages)), loops(steps_of(*this->stages)) {}

const loop::Func& Kernel::func_at(std::size_t step) const {
  if (step == 0) return stages->initial;
  const std::size_t scheduled = stages->schedule.size();
  if (step <= scheduled) return stages->schedule[step - 1].func;
  return stages->lowering.at(step - scheduled);
}

std::shared_ptr<const loop::Listing> Kernel::listing(std::size_t step) const {
  std::lock_guard lock(mutex_);
  auto known = std::find_if(kept_.begin(), kept_.end(),
                            [&](const auto& kept) { return kept.first == step; });
  if (known == kept_.end()) {
    ++printed_;
    kept_.emplace_back(step, std::make_shared<const loop::Listing>(loop::print(func_at(step))));
    if (kept_.size() > most_kept) kept_.pop_front();
    known = std::prev(kept_.end());
  }
  return known->second;
}

int Kernel::listings_printed() const {
  std::lock_guard lock(mutex_);
  return printed_;
}

const std::string& MachineCode::step(std::size_t number) const {
  const auto& llvm = listings->llvm_steps();
  return number < llvm.size() ? llvm[number] : listings->machine_steps()[number - llvm.size()];
}

Result<std::shared_ptr<const codegen::SourceLines>> MachineCode::lines(
    std::size_t step, const Cancellation& cancellation) const {
  const std::size_t llvm = listings->llvm_steps().size();
  return step < llvm ? listings->llvm(step, cancellation)
                     : listings->machine(step - llvm, cancellation);
}

std::shared_ptr<const codegen::SourceLines> MachineCode::lines_at_hand(std::size_t step) const {
  const std::size_t llvm = listings->llvm_steps().size();
  return step < llvm ? listings->llvm_at_hand(step) : listings->machine_at_hand(step - llvm);
}

}  // namespace loopglass::views
