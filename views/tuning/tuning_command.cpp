#include "views/tuning/tuning_command.h"

#include "views/document/command_line.h"
#include "views/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace loopglass::views {

namespace {

// A kernel's name before a colon: its number, where the name has marks of such options in it.
std::string unambiguous(const fusion::Plan& plan, const std::string& kernel) {
  if (kernel.find_first_of(":=,") == std::string::npos) return kernel;
  const auto group = std::ranges::find(plan.groups, kernel, &fusion::Group::name);
  return fmt::format("{}", group - plan.groups.begin());
}

}  // namespace

QString tune_command(const Document& document, const tune::TuneSettings& settings, int threads,
                     const std::vector<KernelWish>& wishes, bool of_all) {
  const auto kernel = document.kernels().kernel();
  if (!document.fusion().plan() || (!of_all && (!kernel || kernel->stages->is_view))) return {};
  const tune::TuneSettings usual;
  QString command = "loopglassc tune " + model_words(document) + plan_words(document);
  const auto option = [&](const char* name, const QString& value) {
    command += QString(" %1 %2").arg(name, shell_word(value));
  };
  if (!of_all)
    option("--kernel", text(document.fusion().plan()->group(document.kernels().group()).name));
  if (settings.space != usual.space) option("--space", text(settings.space));
  if (settings.search != usual.search) option("--search", text(settings.search));
  if (settings.cost_model != usual.cost_model) option("--cost-model", text(settings.cost_model));
  if (settings.layout) option("--layout", text(name(*settings.layout)));
  if (settings.trials != usual.trials) option("--trials", QString::number(settings.trials));
  if (settings.seed != usual.seed) option("--seed", QString::number(settings.seed));
  if (threads != 1) option("--threads", QString::number(threads));
  for (const KernelWish& wish : wishes) {
    const std::string whose =
        of_all ? unambiguous(*document.fusion().plan(), wish.kernel) + ":" : std::string();
    for (const tune::KnobRule& rule : wish.rules)
      option(rule.kind == tune::KnobRule::Kind::Pin ? "--pin" : "--ban",
             text(whose + to_text(rule)));
    if (!wish.own_script.empty()) option("--try", text(whose + wish.own_script.string()));
  }
  return command;
}

}  // namespace loopglass::views
