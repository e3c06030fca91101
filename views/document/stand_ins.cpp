#include "views/document/stand_ins.h"

#include "core/graph/opaque_reach.h"
#include "views/text.h"
#include "views/theme.h"

namespace loopglass::views {

QString stand_in_warning(const Document& document) {
  const auto history = document.history().recorded();
  const QString note =
      history ? text(graph::note_on_stand_ins(*history->steps.front().result)) : QString();
  if (note.isEmpty()) return {};
  return QString("<span style='color:%1'>⚠ %2.</span>")
      .arg(theme().warning.name(), note.toHtmlEscaped());
}

}  // namespace loopglass::views
