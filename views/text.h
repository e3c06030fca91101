// The compiler's texts as Qt has them.
#pragma once

#include <QRegularExpression>
#include <QString>

#include <string_view>

namespace loopglass::views {

inline QString text(std::string_view value) {
  return QString::fromUtf8(value.data(), static_cast<qsizetype>(value.size()));
}

// As the label of a menu or button, where an ampersand would say which key chooses it.
inline QString plain(QString label) { return label.replace('&', "&&"); }
inline QString plain(std::string_view label) { return plain(text(label)); }

// What a file about something of this title is called, in front of its ending.
inline QString file_stem(QString title) {
  static const QRegularExpression awkward("[^\\w.-]+"), ending_of_text("\\.(te|loops)$");
  return title.remove(ending_of_text).replace(awkward, "-");
}

}  // namespace loopglass::views
