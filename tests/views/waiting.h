// Letting the window's events run until something is so.
#pragma once

#include "views/document/document.h"

#include <QTest>

namespace loopglass::views {

template <class Condition>
bool eventually(const Condition& condition, int milliseconds = 60000) {
  return QTest::qWaitFor(condition, milliseconds);
}

// Until nothing runs in the background and nothing follows for a moment.
inline bool settled(const Document& document) {
  if (!eventually([&] { return document.jobs().idle(); })) return false;
  QTest::qWait(50);
  return eventually([&] { return document.jobs().idle(); });
}

}  // namespace loopglass::views
