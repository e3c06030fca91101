#include "views/widgets/problem_text.h"

#include "views/theme.h"

#include <QStringList>

namespace loopglass::views {

QString problem_text(const Diagnostic& problem) {
  QStringList lines = QString::fromStdString(problem.what).split('\n');
  QString html = QString("<span style='color:%1'>✕ %2")
                     .arg(theme().error.name(), lines.takeFirst().toHtmlEscaped());
  if (!lines.isEmpty())
    html += QString("<pre style=\"font-family:'%1';margin:0\">%2</pre>")
                .arg(theme().code_font().families().join("','"), lines.join('\n').toHtmlEscaped());
  else if (!problem.hint.empty()) html += " — ";
  if (!problem.hint.empty()) html += QString::fromStdString(problem.hint).toHtmlEscaped();
  return html + "</span>";
}

}  // namespace loopglass::views
