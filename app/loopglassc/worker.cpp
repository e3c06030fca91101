// loopglassc worker: no command, since it is for no person. Answers other programs of Loopglass,
// and whoever speaks as they do (core/measure/frame.h).
#include "app/common/worker.h"
#include "app/loopglassc/command.h"

#include <unistd.h>

namespace loopglass::app {

Result<Exit> be_worker() {
  if (::isatty(STDIN_FILENO) != 0 || ::isatty(STDOUT_FILENO) != 0)
    return fail(Code::UsageInvalid, "a worker speaks with programs, not with a terminal");
  return static_cast<Exit>(measure::serve_standard_streams(worker_jobs()));
}

}  // namespace loopglass::app
