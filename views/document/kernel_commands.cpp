#include "views/document/kernel_commands.h"

#include "views/document/command_line.h"
#include "views/text.h"

#include <QCoreApplication>

namespace loopglass::views {
namespace {

struct Step {
  std::size_t number, last;
};

QString shown_kernel(const Document& document) {
  return text(document.fusion().plan()->group(document.kernels().group()).name);
}

// The last step is what a command prints when none is named.
QString kernel_command(const Document& document, const char* command,
                       std::optional<Step> step = {}) {
  if (!document.fusion().plan() || !document.kernels().kernel()) return {};
  const KernelWords kernels = kernel_words(document);
  QString words = QString("loopglassc %1 %2 --kernel %3")
                      .arg(command, kernels.model, shell_word(shown_kernel(document)));
  if (step && step->number != step->last) words += QString(" --step %1").arg(step->number);
  return words + kernels.note;
}

// Steps before any pass of lowering: the nest as it comes, and one for each line that changes it.
std::size_t scheduled_steps(const std::vector<LoopStep>& steps) {
  return static_cast<std::size_t>(
      std::ranges::find(steps, LoopStep::Kind::Lowering, &LoopStep::kind) - steps.begin());
}

}  // namespace

QString loops_command(const Document& document) {
  const auto kernel = document.kernels().kernel();
  if (!kernel) return {};
  const std::size_t step = document.kernels().loop_step(),
                    scheduled = scheduled_steps(kernel->loops);
  if (step < scheduled) return kernel_command(document, "emit loops", Step{step, scheduled - 1});
  // What lowering is given is its step 0.
  return kernel_command(document, "emit lowered",
                        Step{step - scheduled + 1, kernel->loops.size() - scheduled});
}

QString draft_command(const Document& document) {
  if (!document.fusion().plan() || !document.kernels().kernel()) return {};
  const QString kernel = shown_kernel(document), file = kernel + ".schedule";
  return QString("loopglassc emit loops %1 --kernel %2 --schedule %3  # ")
             .arg(kernel_words(document).model, shell_word(kernel),
                  shell_word(kernel + "=" + file)) +
         QCoreApplication::translate("CommandLine", "the script up to the caret, saved as %1")
             .arg(file);
}

QString llvm_command(const Document& document) {
  const auto code = document.kernels().machine_code();
  if (!code) return {};
  const std::size_t step = document.kernels().llvm_step(), optimised = code->optimised_step();
  if (step <= optimised) return kernel_command(document, "emit llvm", Step{step, optimised});
  return kernel_command(document, "emit machine",
                        Step{step - optimised - 1, code->step_count() - optimised - 2});
}

QString assembly_command(const Document& document, bool with_times) {
  return kernel_command(document, with_times ? "emit asm --hot" : "emit asm");
}

QString locality_command(const Document& document) {
  const auto kernel = document.kernels().kernel();
  if (!kernel) return {};
  const std::size_t last = scheduled_steps(kernel->loops) - 1;
  return kernel_command(document, "locality",
                        Step{std::min(document.kernels().loop_step(), last), last});
}

}  // namespace loopglass::views
