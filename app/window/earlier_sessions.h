// Sessions that windows kept by themselves and none has open, as a person is told of them: on the
// start page and in the menu.
#pragma once

#include "core/saved_session.h"

#include <QString>

#include <vector>

namespace loopglass::app {

struct EarlierSession {
  QString words;  // "resnet50 at fold-batch-norm:3, 2 bookmarks, today 20:15"
  QString file;
  SavedSession session;
};

// The newest first, at most so many, of those that can be read.
std::vector<EarlierSession> earlier_sessions(std::size_t most);

}  // namespace loopglass::app
