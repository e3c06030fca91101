// Letting the window's events run until something is so.
#pragma once

#include "views/document/document.h"

#include <QCoreApplication>
#include <QDeadlineTimer>
#include <QTest>

namespace loopglass::views {

template <class Condition>
bool eventually(const Condition& condition, int milliseconds = 60000) {
  return QTest::qWaitFor(condition, milliseconds);
}

// Until everything that has been posted is delivered, and what that posts in turn, however long
// each takes. What follows on something follows in fewer steps than these.
inline void deliver_posted() {
  constexpr int steps = 20;
  for (int step = 0; step < steps; ++step) {
    bool delivered = false;  // the last of the queue
    QMetaObject::invokeMethod(
        qApp, [&] { delivered = true; }, Qt::QueuedConnection);
    while (!delivered) QCoreApplication::processEvents();
  }
}

// Until nothing runs in the background, nothing is on its way to anybody, and nothing follows on a
// timer of a moment.
inline bool settled(const Document& document) {
  constexpr int moment = 50, longest = 60000;  // milliseconds
  const QDeadlineTimer deadline(longest);
  while (!deadline.hasExpired()) {
    if (!eventually([&] { return document.jobs().idle(); }, longest)) return false;
    deliver_posted();
    if (!document.jobs().idle()) continue;
    QTest::qWait(moment);
    deliver_posted();
    if (document.jobs().idle()) return true;
  }
  return false;
}

}  // namespace loopglass::views
