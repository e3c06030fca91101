// Names of parts where the part around them is named already.
#pragma once

#include <QString>

namespace loopglass::views {

// Without what it shares with the title around it, by whole parts: "encoder.layer.0" in "encoder"
// is "…layer.0".
inline QString title_within(const QString& title, const QString& around) {
  const auto is_separator = [](QChar letter) { return letter == '/' || letter == '.'; };
  const bool inside = !around.isEmpty() && title.size() > around.size() + 1 &&
                      title.startsWith(around) && is_separator(title[around.size()]);
  return inside ? "…" + title.mid(around.size() + 1) : title;
}

}  // namespace loopglass::views
