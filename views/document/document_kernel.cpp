// The later stages of the document: the current kernel, its machine code, benchmarks.
#include "views/document/document.h"
#include "views/document/lanes.h"
#include "views/document/relations.h"

#include <fmt/format.h>

#include <algorithm>

namespace loopglass::views {
namespace {

QString text(const std::string& value) { return QString::fromStdString(value); }

std::string line_entity(const loop::Listing* listing, int line) {
  if (!listing || line < 1 || line > static_cast<int>(listing->lines.size())) return {};
  return listing->lines[static_cast<std::size_t>(line - 1)].entity;
}

Result<std::shared_ptr<const Kernel>> print_kernel(std::shared_ptr<const KernelStages> stages,
                                                   const JobContext& context) {
  auto kernel = std::make_shared<Kernel>();
  const auto cancelled = [&] { return context.cancellation.requested(); };
  kernel->loops.push_back({LoopStep::Kind::Initial, "tensor expressions, in program order",
                           "one block per stage under serial loops; the schedule starts here", true,
                           loop::print(stages->initial)});
  for (const schedule::ScheduleStep& step : stages->schedule) {
    if (cancelled()) return fail(Code::Cancelled, "the work was cancelled");
    kernel->loops.push_back({LoopStep::Kind::Schedule, schedule::to_script(step.instruction),
                             step.remark, true, loop::print(step.func)});
  }
  for (std::size_t i = 1; i < stages->lowering.steps.size(); ++i) {
    if (cancelled()) return fail(Code::Cancelled, "the work was cancelled");
    const auto& step = stages->lowering.steps[i];
    std::string detail = step.pass.doc;
    for (const pass::Remark& remark : step.remarks)
      detail += fmt::format("\n{}: {}", remark.code, remark.text);
    kernel->loops.push_back({LoopStep::Kind::Lowering, step.pass.name, std::move(detail),
                             step.changed, loop::print(*step.result)});
  }
  kernel->stages = std::move(stages);
  return kernel;
}

}  // namespace

// --- stages 5 to 7 ---

void Document::set_kernel(fusion::GroupId group) { selection_->select_group(group); }

void Document::follow(fusion::GroupId group) {
  // A kernel whose work was cancelled is asked for again.
  if (!group.valid() || (group == kernel_group_ && state(Stage::Kernel) != StageState::Empty))
    return;
  kernel_group_ = group;
  derive_kernel();
}

void Document::derive_kernel() {
  using KernelPtr = std::shared_ptr<const Kernel>;
  drop_kernel();
  set_state(Stage::Kernel, StageState::Working);
  jobs_->run<KernelPtr>(
      lanes::kernel, tr("Scheduling %1").arg(text(plan_->group(kernel_group_).name)),
      [session = session_, group = kernel_group_](const JobContext& context) -> Result<KernelPtr> {
        return print_kernel(TRY(session->kernel(group, context.cancellation)), context);
      },
      [this](KernelPtr kernel) { accept_kernel(std::move(kernel)); },
      [this](const Diagnostic& diagnostic) { fail_stage(Stage::Kernel, diagnostic); });
}

void Document::accept_kernel(std::shared_ptr<const Kernel> kernel) {
  kernel_ = std::move(kernel);
  loop_step_ = kernel_->loops.size() - 1;
  set_state(Stage::Kernel, StageState::Ready);
  emit kernelChanged();
  emit loopStepChanged();
  selection_->refresh();
  derive_machine_code();
}

void Document::set_loop_step(std::size_t step) {
  if (!kernel_) return;
  step = std::min(step, kernel_->loops.size() - 1);
  if (step == loop_step_) return;
  const loop::Listing* before = loop_listing();
  loop_step_ = step;
  if (const auto* selected = std::get_if<SelectedLine>(&selection_->current()))
    selection_->move_line(TextPane::Loops,
                          line_of_entity(*loop_listing(), line_entity(before, selected->line)));
  emit loopStepChanged();
  selection_->refresh();
}

const loop::Listing* Document::loop_listing() const {
  return kernel_ ? &kernel_->loops[loop_step_].listing : nullptr;
}

// --- stages 8 and 9 ---

void Document::derive_machine_code() {
  using Code = std::shared_ptr<const MachineCode>;
  set_state(Stage::MachineCode, StageState::Working);
  jobs_->run<Code>(
      lanes::machine_code, tr("Compiling %1").arg(text(plan_->group(kernel_group_).name)),
      [session = session_, group = kernel_group_](const JobContext& context) -> Result<Code> {
        auto code =
            std::make_shared<MachineCode>(MachineCode{TRY(session->compiled(group, context.cancellation))});
        if (context.cancellation.requested()) return fail(loopglass::Code::Cancelled, "the work was cancelled");
        // Made on demand and cached: made here, so that the window never waits for them.
        code->llvm();
        code->assembly();
        return code;
      },
      [this](Code code) {
        machine_code_ = std::move(code);
        llvm_step_ = machine_code_->llvm().empty() ? 0 : machine_code_->llvm().size() - 1;
        set_state(Stage::MachineCode, StageState::Ready);
        emit machineCodeChanged();
        emit llvmStepChanged();
        selection_->refresh();
      },
      [this](const Diagnostic& diagnostic) { fail_stage(Stage::MachineCode, diagnostic); });
}

void Document::set_llvm_step(std::size_t step) {
  if (!machine_code_ || machine_code_->llvm().empty()) return;
  step = std::min(step, machine_code_->llvm().size() - 1);
  if (step == llvm_step_) return;
  const auto* before = llvm_lines();
  llvm_step_ = step;
  if (const auto* selected = std::get_if<SelectedLine>(&selection_->current());
      selected && selected->pane == TextPane::Llvm) {
    const auto index = static_cast<std::size_t>(selected->line - 1);
    const int loop_line = index < before->size() ? (*before)[index].loop_line : 0;
    const auto same = std::find_if(
        llvm_lines()->begin(), llvm_lines()->end(),
        [&](const auto& line) { return loop_line != 0 && line.loop_line == loop_line; });
    selection_->move_line(TextPane::Llvm, same == llvm_lines()->end()
                                              ? 0
                                              : static_cast<int>(same - llvm_lines()->begin()) + 1);
  }
  emit llvmStepChanged();
  selection_->refresh();
}

const std::vector<codegen::SourceLine>* Document::llvm_lines() const {
  if (!machine_code_ || machine_code_->llvm().empty()) return nullptr;
  return &machine_code_->llvm()[llvm_step_].lines;
}

const std::vector<codegen::SourceLine>* Document::assembly_lines() const {
  return machine_code_ ? &machine_code_->assembly() : nullptr;
}

// --- stage 10 ---

void Document::start_benchmark(int threads, int rounds) {
  if (!plan_) return;
  using Report = runtime::BenchmarkReport;
  round_times_.clear();
  const int run = ++benchmark_run_;
  set_state(Stage::Benchmark, StageState::Working);
  emit benchmarkChanged();
  jobs_->run<Report>(
      lanes::benchmark, tr("Benchmark"),
      [this, session = session_, threads, rounds, run](const JobContext& context) {
        runtime::BenchmarkOptions options;
        options.threads = threads;
        options.rounds = rounds;
        options.cancellation = context.cancellation;
        options.on_round = [this, run](int round, double milliseconds) {
          QMetaObject::invokeMethod(
              this,
              [this, run, round, milliseconds] {
                if (run != benchmark_run_) return;
                round_times_.push_back(milliseconds);
                emit benchmarkRound(round, milliseconds);
              },
              Qt::QueuedConnection);
        };
        return session->benchmark(options, context.progress);
      },
      [this](Report report) {
        report_ = std::make_shared<const Report>(std::move(report));
        set_state(Stage::Benchmark, StageState::Ready);
        emit benchmarkChanged();
      },
      [this](const Diagnostic& diagnostic) { fail_stage(Stage::Benchmark, diagnostic); });
}

void Document::stop_benchmark() {
  if (state(Stage::Benchmark) != StageState::Working) return;
  jobs_->cancel(lanes::benchmark);
  ++benchmark_run_;
  set_state(Stage::Benchmark, report_ ? StageState::Ready : StageState::Empty);
  emit benchmarkChanged();
}

const runtime::KernelTiming* Document::timing_of(fusion::GroupId group) const {
  if (!report_) return nullptr;
  const auto& kernels = report_->kernels;
  const auto found =
      std::find_if(kernels.begin(), kernels.end(), [&](const auto& k) { return k.group == group; });
  return found == kernels.end() ? nullptr : &*found;
}

}  // namespace loopglass::views
