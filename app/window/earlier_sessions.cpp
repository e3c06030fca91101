#include "app/window/earlier_sessions.h"

#include "app/common/kept_sessions.h"
#include "views/counted.h"
#include "views/text.h"

#include <QDateTime>
#include <QFileInfo>
#include <QObject>

namespace loopglass::app {
namespace {

QString words_of(const SavedSession& session, const QDateTime& written) {
  const Request& request = session.asked.request;
  const QString file = views::text(session.file);
  QString words = file.isEmpty() ? views::text(request.model) : file;
  if (!request.subgraph.empty()) words += " › " + views::text(request.subgraph);
  if (!session.place.at.empty()) words += QObject::tr(" at ") + views::text(session.place.at);
  if (const std::string by_hand = by_hand_words(session.asked); !by_hand.empty())
    words += ", " + views::text(by_hand);
  if (const std::size_t marks = session.asked.bookmarks.size(); marks > 0)
    words += ", " + views::counted(marks, "bookmark");
  const bool today = written.date() == QDate::currentDate();
  return words + ", " + (today ? QObject::tr("today ") : written.toString("yyyy-MM-dd ")) +
         written.toString("hh:mm");
}

}  // namespace

std::vector<EarlierSession> earlier_sessions(std::size_t most) {
  std::vector<EarlierSession> found;
  for (const KeptSession& kept : kept_sessions()) {
    if (found.size() == most) break;
    if (kept.in_use) continue;
    auto session = read_session(kept.file);
    if (!session) continue;  // what cannot be read cannot be gone on with
    const QFileInfo file(views::text(kept.file.string()));
    QString words = words_of(*session, file.lastModified());
    found.push_back({std::move(words), file.filePath(), *std::move(session)});
  }
  return found;
}

}  // namespace loopglass::app
