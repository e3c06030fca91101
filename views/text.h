// The compiler's texts as Qt has them.
#pragma once

#include <QString>

#include <string_view>

namespace loopglass::views {

inline QString text(std::string_view value) {
  return QString::fromUtf8(value.data(), static_cast<qsizetype>(value.size()));
}

// As the label of a menu or button, where an ampersand would say which key chooses it.
inline QString plain(QString label) { return label.replace('&', "&&"); }
inline QString plain(std::string_view label) { return plain(text(label)); }

}  // namespace loopglass::views
