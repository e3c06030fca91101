#include "views/document/kernel_stage.h"

#include "views/document/fusion_stage.h"
#include "views/document/lanes.h"
#include "views/document/relations.h"
#include "views/text.h"

#include <algorithm>
#include <utility>

namespace loopglass::views {
namespace {

std::string line_entity(const loop::Listing& listing, int line) {
  if (line < 1 || line > static_cast<int>(listing.lines.size())) return {};
  return listing.lines[static_cast<std::size_t>(line - 1)].entity;
}

// The first line that came from the same line of the loop nest as `line` of `before`; 0: none.
int line_of_same_source(const codegen::SourceLines& lines, const codegen::SourceLines& before,
                        int line) {
  const auto index = static_cast<std::size_t>(line - 1);
  const int loop_line = index < before.size() ? before[index].loop_line : 0;
  if (loop_line == 0) return 0;
  const auto same = std::find_if(lines.begin(), lines.end(), [&](const auto& candidate) {
    return candidate.loop_line == loop_line;
  });
  return same == lines.end() ? 0 : static_cast<int>(same - lines.begin()) + 1;
}

}  // namespace

// --- the loop nest ---

void KernelStage::select(fusion::GroupId group) { selection_->select_group(group); }

void KernelStage::show(fusion::GroupId group) {
  // A kernel whose work was cancelled is asked for again.
  if (!group.valid() || (group == group_ && board_->state(Stage::Kernel) != StageState::Empty))
    return;
  group_ = group;
  derive();
}

std::string KernelStage::name() const { return fusion_.plan()->group(group_).name; }

void KernelStage::derive() {
  drop();
  board_->set(Stage::Kernel, StageState::Working);
  reschedule();
}

// The kernel that is shown stays until the other one is there.
void KernelStage::reschedule() {
  using KernelPtr = std::shared_ptr<const Kernel>;
  jobs_->run<KernelPtr>(
      lanes::kernel, tr("Scheduling %1").arg(text(name())),
      [session = session_, group = group_](const JobContext& context) -> Result<KernelPtr> {
        auto kernel =
            std::make_shared<const Kernel>(TRY(session->kernel(group, context.cancellation)));
        // What is shown first is printed here, so that the window does not wait for it.
        const std::size_t last = kernel->loops.size() - 1;
        if (last > 0) kernel->listing(last - 1);
        kernel->listing(last);
        return kernel;
      },
      [this](KernelPtr kernel) { accept(std::move(kernel)); },
      [this](const Diagnostic& diagnostic) { board_->fail(Stage::Kernel, diagnostic); });
}

void KernelStage::accept(std::shared_ptr<const Kernel> kernel) {
  drop_machine_code();
  kernel_ = std::move(kernel);
  loop_step_ = kernel_->loops.size() - 1;
  loop_listing_ = kernel_->listing(loop_step_);
  board_->set(Stage::Kernel, StageState::Ready);
  emit kernelChanged();
  emit loopStepChanged();
  selection_->refresh();
  derive_machine_code();
}

void KernelStage::set_loop_step(std::size_t step) {
  if (!kernel_) return;
  step = std::min(step, kernel_->loops.size() - 1);
  if (step == loop_step_) return;
  const auto before = std::exchange(loop_listing_, kernel_->listing(step));
  loop_step_ = step;
  if (const auto* selected = std::get_if<SelectedLine>(&selection_->current()))
    selection_->move_line(TextPane::Loops,
                          line_of_entity(*loop_listing_, line_entity(*before, selected->line)));
  emit loopStepChanged();
  selection_->refresh();
}

// --- machine code ---

void KernelStage::derive_machine_code() {
  using Code = std::shared_ptr<const MachineCode>;
  board_->set(Stage::MachineCode, StageState::Working);
  jobs_->run<Code>(
      lanes::machine_code, tr("Compiling %1").arg(text(name())),
      [session = session_, group = group_](const JobContext& context) -> Result<Code> {
        return std::make_shared<MachineCode>(
            MachineCode{TRY(session->listings(group, context.cancellation))});
      },
      [this](Code code) { accept(std::move(code)); },
      [this](const Diagnostic& diagnostic) { board_->fail(Stage::MachineCode, diagnostic); });
}

void KernelStage::accept(std::shared_ptr<const MachineCode> machine_code) {
  machine_code_ = std::move(machine_code);
  llvm_step_ = wanted_llvm_step_ = machine_code_->optimised_step();
  llvm_texts_ = {machine_code_->lines_at_hand(llvm_step_),
                 machine_code_->lines_at_hand(llvm_step_ - 1)};
  board_->set(Stage::MachineCode, StageState::Ready);
  emit machineCodeChanged();
  emit llvmStepChanged();
  selection_->refresh();
}

// Where the steps around are at hand the window follows at once; else the newest wish counts, and
// until it is met the window stays where it is.
void KernelStage::set_llvm_step(std::size_t step) {
  if (!machine_code_) return;
  step = std::min(step, machine_code_->step_count() - 1);
  if (step == wanted_llvm_step_) return;
  wanted_llvm_step_ = step;
  LlvmTexts texts{machine_code_->lines_at_hand(step),
                  step > 0 ? machine_code_->lines_at_hand(step - 1) : nullptr};
  if (texts.lines && (texts.before || step == 0)) {
    jobs_->cancel(lanes::llvm_step);
    return arrive_at_llvm(step, std::move(texts));
  }
  jobs_->run<LlvmTexts>(
      lanes::llvm_step, tr("Listing what %1 leaves").arg(text(machine_code_->step(step))),
      [code = machine_code_, step](const JobContext& context) -> Result<LlvmTexts> {
        LlvmTexts made{TRY(code->lines(step, context.cancellation)), nullptr};
        if (step > 0) made.before = TRY(code->lines(step - 1, context.cancellation));
        return made;
      },
      [this, step](LlvmTexts made) { arrive_at_llvm(step, std::move(made)); },
      [this](const Diagnostic& diagnostic) {
        wanted_llvm_step_ = llvm_step_;
        emit llvmStepChanged();
        board_->report(diagnostic);
      });
}

void KernelStage::arrive_at_llvm(std::size_t step, LlvmTexts texts) {
  const LlvmTexts before = std::exchange(llvm_texts_, std::move(texts));
  llvm_step_ = step;
  if (const auto* selected = std::get_if<SelectedLine>(&selection_->current());
      selected && selected->pane == TextPane::Llvm)
    selection_->move_line(TextPane::Llvm,
                          line_of_same_source(*llvm_texts_.lines, *before.lines, selected->line));
  emit llvmStepChanged();
  selection_->refresh();
}

const codegen::SourceLines* KernelStage::assembly_lines() const {
  return machine_code_ ? &machine_code_->assembly() : nullptr;
}

// --- what falls ---

void KernelStage::drop() {
  drop_machine_code();
  jobs_->cancel(lanes::kernel);
  kernel_.reset();
  loop_listing_.reset();
  loop_step_ = 0;
  selection_->move_line(TextPane::Loops, 0);
  board_->set(Stage::Kernel, StageState::Empty);
  emit kernelChanged();
  emit loopStepChanged();
  selection_->refresh();
}

void KernelStage::drop_machine_code() {
  jobs_->cancel(lanes::machine_code);
  jobs_->cancel(lanes::llvm_step);
  machine_code_.reset();
  llvm_texts_ = {};
  llvm_step_ = wanted_llvm_step_ = 0;
  for (const TextPane pane : {TextPane::Llvm, TextPane::Assembly}) selection_->move_line(pane, 0);
  board_->set(Stage::MachineCode, StageState::Empty);
  emit machineCodeChanged();
  emit llvmStepChanged();
}

void KernelStage::forget() {
  group_ = {};
  drop();
}

void KernelStage::stay() {
  if (std::exchange(wanted_llvm_step_, llvm_step_) != llvm_step_) emit llvmStepChanged();
}

}  // namespace loopglass::views
