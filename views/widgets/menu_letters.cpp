#include "views/widgets/menu_letters.h"

#include <QMenu>
#include <QSet>

namespace loopglass::views {
namespace {

// Where the letter of a title stands; -1: it has none. "&&" is one that is written.
qsizetype letter_of(const QString& title) {
  for (qsizetype at = title.indexOf('&'); at >= 0 && at + 1 < title.size();
       at = title.indexOf('&', at + 2))
    if (title[at + 1] != '&') return at + 1;
  return -1;
}

// Where a letter that is free may be put; -1: nowhere.
qsizetype place_of_free(const QString& title, const QSet<QChar>& taken) {
  for (const bool begins_word : {true, false})
    for (qsizetype at = 0; at < title.size(); ++at) {
      const bool is_begin = at == 0 || !title[at - 1].isLetterOrNumber();
      if ((is_begin || !begins_word) && title[at].isLetterOrNumber() &&
          !taken.contains(title[at].toLower()))
        return at;
    }
  return -1;
}

}  // namespace

void give_letters(QMenu& menu) {
  QSet<QChar> taken;
  for (const QAction* action : menu.actions())
    if (const qsizetype at = letter_of(action->text()); at >= 0)
      taken.insert(action->text()[at].toLower());
  for (QAction* action : menu.actions()) {
    const QString title = action->text();
    if (action->isSeparator() || letter_of(title) >= 0) continue;
    const qsizetype at = place_of_free(title, taken);
    if (at < 0) continue;
    taken.insert(title[at].toLower());
    action->setText(QString(title).insert(at, '&'));
  }
}

}  // namespace loopglass::views
