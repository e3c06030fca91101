#include "views/document/word_help.h"

#include "core/glossary.h"
#include "views/text.h"

namespace loopglass::views {

QString word_help(const Document& document, const QString& word, std::string_view left_out) {
  QStringList rows;
  for (const Explanation& each : explain(document.toolchain(), word.trimmed().toStdString()))
    if (each.kind != left_out)
      rows << QString("<b>%1</b> <i>(%2)</i><br>%3")
                  .arg(text(each.name).toHtmlEscaped(), text(each.kind).toHtmlEscaped(),
                       text(each.sentence).toHtmlEscaped());
  return rows.join("<br>");
}

}  // namespace loopglass::views
