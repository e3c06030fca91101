// The later stages of the document: the current kernel, its machine code, benchmarks.
#include "views/document/document.h"
#include "views/document/lanes.h"
#include "views/document/relations.h"
#include "views/document/text.h"

#include <QDateTime>

#include <fmt/format.h>

#include <algorithm>

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

// --- stages 5 to 7 ---

void Document::set_kernel(fusion::GroupId group) { selection_->select_group(group); }

void Document::show_kernel(fusion::GroupId group) {
  // A kernel whose work was cancelled is asked for again.
  if (!group.valid() || (group == kernel_group_ && state(Stage::Kernel) != StageState::Empty))
    return;
  kernel_group_ = group;
  derive_kernel();
}

void Document::derive_kernel() {
  drop_kernel();
  set_state(Stage::Kernel, StageState::Working);
  schedule_kernel();
}

// The kernel that is shown stays until the other one is there.
void Document::schedule_kernel() {
  using KernelPtr = std::shared_ptr<const Kernel>;
  jobs_->run<KernelPtr>(
      lanes::kernel, tr("Scheduling %1").arg(text(plan_->group(kernel_group_).name)),
      [session = session_, group = kernel_group_](const JobContext& context) -> Result<KernelPtr> {
        auto kernel =
            std::make_shared<const Kernel>(TRY(session->kernel(group, context.cancellation)));
        // What is shown first is printed here, so that the window does not wait for it.
        const std::size_t last = kernel->loops.size() - 1;
        if (last > 0) kernel->listing(last - 1);
        kernel->listing(last);
        return kernel;
      },
      [this](KernelPtr kernel) { accept_kernel(std::move(kernel)); },
      [this](const Diagnostic& diagnostic) { fail_stage(Stage::Kernel, diagnostic); });
}

void Document::accept_kernel(std::shared_ptr<const Kernel> kernel) {
  drop_machine_code();
  kernel_ = std::move(kernel);
  loop_step_ = kernel_->loops.size() - 1;
  loop_listing_ = kernel_->listing(loop_step_);
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
  const auto before = std::exchange(loop_listing_, kernel_->listing(step));
  loop_step_ = step;
  if (const auto* selected = std::get_if<SelectedLine>(&selection_->current()))
    selection_->move_line(TextPane::Loops,
                          line_of_entity(*loop_listing_, line_entity(*before, selected->line)));
  emit loopStepChanged();
  selection_->refresh();
}

// --- stages 8 and 9 ---

void Document::derive_machine_code() {
  using Code = std::shared_ptr<const MachineCode>;
  set_state(Stage::MachineCode, StageState::Working);
  jobs_->run<Code>(
      lanes::machine_code, tr("Compiling %1").arg(text(plan_->group(kernel_group_).name)),
      [session = session_, group = kernel_group_](const JobContext& context) -> Result<Code> {
        return std::make_shared<MachineCode>(
            MachineCode{TRY(session->listings(group, context.cancellation))});
      },
      [this](Code code) {
        machine_code_ = std::move(code);
        llvm_step_ = wanted_llvm_step_ = machine_code_->llvm_steps().size() - 1;
        const auto& listings = *machine_code_->listings;
        llvm_texts_ = {listings.llvm_at_hand(llvm_step_), listings.llvm_at_hand(llvm_step_ - 1)};
        set_state(Stage::MachineCode, StageState::Ready);
        emit machineCodeChanged();
        emit llvmStepChanged();
        selection_->refresh();
      },
      [this](const Diagnostic& diagnostic) { fail_stage(Stage::MachineCode, diagnostic); });
}

// Where the steps around are at hand the window follows at once; else the newest wish counts, and
// until it is met the window stays where it is.
void Document::set_llvm_step(std::size_t step) {
  if (!machine_code_) return;
  step = std::min(step, machine_code_->llvm_steps().size() - 1);
  if (step == wanted_llvm_step_) return;
  wanted_llvm_step_ = step;
  const auto listings = machine_code_->listings;
  LlvmTexts texts{listings->llvm_at_hand(step),
                  step > 0 ? listings->llvm_at_hand(step - 1) : nullptr};
  if (texts.lines && (texts.before || step == 0)) {
    jobs_->cancel(lanes::llvm_step);
    return arrive_at_llvm(step, std::move(texts));
  }
  jobs_->run<LlvmTexts>(
      lanes::llvm_step, tr("Listing LLVM IR after %1").arg(text(machine_code_->llvm_steps()[step])),
      [listings, step](const JobContext& context) -> Result<LlvmTexts> {
        LlvmTexts made{TRY(listings->llvm(step, context.cancellation)), nullptr};
        if (step > 0) made.before = TRY(listings->llvm(step - 1, context.cancellation));
        return made;
      },
      [this, step](LlvmTexts made) { arrive_at_llvm(step, std::move(made)); },
      [this](const Diagnostic& diagnostic) {
        wanted_llvm_step_ = llvm_step_;
        emit llvmStepChanged();
        if (diagnostic.code != loopglass::Code::Cancelled) emit failed(diagnostic);
      });
}

void Document::arrive_at_llvm(std::size_t step, LlvmTexts texts) {
  const LlvmTexts before = std::exchange(llvm_texts_, std::move(texts));
  llvm_step_ = step;
  if (const auto* selected = std::get_if<SelectedLine>(&selection_->current());
      selected && selected->pane == TextPane::Llvm)
    selection_->move_line(TextPane::Llvm,
                          line_of_same_source(*llvm_texts_.lines, *before.lines, selected->line));
  emit llvmStepChanged();
  selection_->refresh();
}

const codegen::SourceLines* Document::assembly_lines() const {
  return machine_code_ ? &machine_code_->assembly() : nullptr;
}

// --- stage 10 ---

void Document::start_benchmark(int threads, int rounds) {
  if (jobs_->busy(lanes::opening)) {
    benchmark_wanted_ = {threads, rounds};
    return emit benchmarkChanged();
  }
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
        keep_times(std::move(report));
        set_state(Stage::Benchmark, StageState::Ready);
        emit benchmarkChanged();
      },
      [this](const Diagnostic& diagnostic) { fail_stage(Stage::Benchmark, diagnostic); });
}

void Document::forget_wanted_benchmark() {
  if (std::exchange(benchmark_wanted_, {})) emit benchmarkChanged();
}

void Document::stop_benchmark() {
  forget_wanted_benchmark();
  if (state(Stage::Benchmark) != StageState::Working) return;
  jobs_->cancel(lanes::benchmark);
  ++benchmark_run_;
  set_state(Stage::Benchmark, report_ ? StageState::Ready : StageState::Empty);
  emit benchmarkChanged();
}

void Document::keep_times(runtime::BenchmarkReport report) {
  report_ = std::make_shared<const runtime::BenchmarkReport>(std::move(report));
  is_recalled_ = false;
  last_times_ = {QDateTime::currentDateTime().toString("yyyy-MM-dd hh:mm").toStdString(),
                 measured_of_, *report_, round_times_};
}

void Document::recall_times(SavedTimes times) {
  last_times_ = std::move(times);
  show_recalled_times();
  emit benchmarkChanged();
}

void Document::show_recalled_times() {
  if (!plan_ || report_ || !last_times_ || last_times_->of != measured_of_ ||
      state(Stage::Benchmark) == StageState::Working)
    return;
  report_ = std::make_shared<const runtime::BenchmarkReport>(last_times_->report);
  round_times_ = last_times_->rounds;
  is_recalled_ = true;
  set_state(Stage::Benchmark, StageState::Ready);
  emit benchmarkChanged();
}

QString Document::measured_words() const {
  return report_ && is_recalled_ ? tr("measured on %1").arg(text(last_times_->when)) : QString();
}

QString Document::other_times_words() const {
  if (!plan_ || report_ || !last_times_) return {};
  const std::string words = difference_words(last_times_->of, measured_of_);
  return words.empty() ? QString()
                       : tr("the times of %1 are of %2").arg(text(last_times_->when), text(words));
}

const runtime::KernelTiming* Document::timing_of(fusion::GroupId group) const {
  if (!report_) return nullptr;
  const auto& kernels = report_->kernels;
  const auto found =
      std::find_if(kernels.begin(), kernels.end(), [&](const auto& k) { return k.group == group; });
  return found == kernels.end() ? nullptr : &*found;
}

}  // namespace loopglass::views
