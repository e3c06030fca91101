#include "views/elided_name.h"

#include <QRegularExpression>

#include <algorithm>
#include <vector>

namespace loopglass::views {

namespace {

// "block10.pointwise" is "block10…wise" where "…pointwise" would be any block's: of the last scope
// with a number, and of as much from the end as there is room for. Empty: the number is not in what
// would go, stays in the rest, or has no room either.
QString with_number_kept(const QString& name, qsizetype rest, const QFontMetricsF& metrics,
                         double width) {
  static const QRegularExpression digit("[0-9]");
  const qsizetype number = rest > 0 ? name.lastIndexOf(digit, rest - 1) : -1;
  if (number < 0 || name.indexOf(digit, rest) >= 0) return {};
  const qsizetype from = std::max(name.lastIndexOf('.', number), name.lastIndexOf('/', number)) + 1;
  const QString kept = (from > 0 ? "…" : "") + name.mid(from, number + 1 - from) + "…";
  const double room = width - metrics.horizontalAdvance(kept);
  if (room < 0) return {};
  const QString end = name.mid(rest);
  qsizetype letters = end.size();
  while (letters > 0 && metrics.horizontalAdvance(end.right(letters)) > room) --letters;
  return kept + end.right(letters);
}

// Whether this is a part of a name, or several, between its separators: "key" of
// "attention.key.matmul".
bool is_part_of(const QString& part, const QString& whole) {
  const auto ends_at = [&](qsizetype at) {
    return at < 0 || at >= whole.size() || whole[at] == '.' || whole[at] == '/';
  };
  for (qsizetype at = whole.indexOf(part); at >= 0; at = whole.indexOf(part, at + 1))
    if (ends_at(at - 1) && ends_at(at + part.size())) return true;
  return false;
}

}  // namespace

QString elided_name(const QString& name, const QString& title, const QFontMetricsF& metrics,
                    double width) {
  const auto fits = [&](const QString& text) { return metrics.horizontalAdvance(text) <= width; };
  if (fits(name)) return name;
  std::vector<qsizetype> parts{0};  // where they begin
  for (qsizetype at = 0; at + 1 < name.size(); ++at)
    if (name[at] == '.' || name[at] == '/') parts.push_back(at + 1);
  const qsizetype last = parts.back();
  const bool is_said = parts.size() > 1 && title.contains(name.mid(last), Qt::CaseInsensitive);
  if (is_said) parts.pop_back();
  constexpr qsizetype least = 4;  // letters: a number alone tells nothing
  std::size_t inner = 0;
  for (std::size_t i = 1; i < parts.size() && name.size() - parts[i] >= least; ++i) {
    inner = i;
    if (const QString rest = "…" + name.mid(parts[i]); fits(rest)) {
      const QString told = with_number_kept(name, parts[i], metrics, width);
      return told.isEmpty() ? rest : told;
    }
  }
  if (QString told = with_number_kept(name, parts[inner], metrics, width); !told.isEmpty())
    return told;
  const QString telling = is_said ? "…" + name.mid(parts[inner], last - 1 - parts[inner]) + "…"
                                  : name.mid(parts[inner]);
  return fits(telling) ? telling : metrics.elidedText(telling, Qt::ElideMiddle, width);
}

bool is_telling(const QString& shown, const QString& whole) {
  constexpr qsizetype shortest_part = 2;
  if (const QString part = QString(shown).remove("…");
      part.size() >= shortest_part && is_part_of(part, whole))
    return true;
  const auto letters = [](const QString& text) {
    return std::ranges::count_if(text, [](QChar letter) { return letter.isLetterOrNumber(); });
  };
  constexpr std::ptrdiff_t enough = 5;
  return letters(shown) >= std::min(enough, letters(whole));
}

}  // namespace loopglass::views
