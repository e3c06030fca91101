#include "views/document/verdict_html.h"

#include "core/fusion/estimate_words.h"
#include "views/text.h"
#include "views/theme.h"

#include <QObject>
#include <QStringList>

namespace loopglass::views {

QString verdict_html(const fusion::Decision& decision, const fusion::CostModel& cost) {
  const Theme& t = theme();
  QString html =
      QString("<span style='color:%1'>%2</span> <b>%3</b> &nbsp;%4")
          .arg((decision.fused ? t.good : t.warning).name(),
               decision.fused ? QObject::tr("✓ fused") : QObject::tr("✕ not fused"),
               text(fusion::name(decision.reason)), text(decision.sentence).toHtmlEscaped());
  if (!decision.condition.empty())
    html += QString("<br><code>%1</code>").arg(text(decision.condition).toHtmlEscaped());
  QStringList numbers;
  for (const auto& [name, number] : decision.numbers)
    if (const auto words = fusion::number_words(name, number, cost.is_calibrated()))
      numbers << text(*words).toHtmlEscaped();
  if (!numbers.isEmpty())
    html +=
        QString("<br><span style='color:%1'>%2</span>").arg(t.muted.name(), numbers.join(" · "));
  return html;
}

}  // namespace loopglass::views
