#include "views/tuning/tuning_command.h"

#include "views/document/command_line.h"
#include "views/text.h"

namespace loopglass::views {

QString tune_command(const Document& document, const tune::TuneSettings& settings, int threads,
                     const std::vector<tune::KnobRule>& rules,
                     const std::filesystem::path& own_script, bool of_all) {
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
  for (const tune::KnobRule& rule : of_all ? std::vector<tune::KnobRule>() : rules)
    option(rule.kind == tune::KnobRule::Kind::Pin ? "--pin" : "--ban", text(to_text(rule)));
  if (!of_all && !own_script.empty()) option("--try", text(own_script.string()));
  return command;
}

}  // namespace loopglass::views
