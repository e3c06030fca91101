// loopglassc worker: answers other programs of Loopglass, and whoever speaks as they do
// (core/measure/frame.h).
#include "app/common/worker.h"
#include "app/loopglassc/command.h"

#include <unistd.h>

namespace loopglass::app {

namespace {

Result<Exit> work() {
  if (::isatty(STDIN_FILENO) != 0 || ::isatty(STDOUT_FILENO) != 0)
    return fail(Code::UsageInvalid, "a worker speaks with programs, not with a terminal");
  return static_cast<Exit>(measure::serve_standard_streams(worker_jobs()));
}

}  // namespace

void add_worker(Command app, Action& chosen) {
  const Command command = app.add_subcommand(
      worker_switch, "times kernels for other programs: asked on stdin, answers on stdout");
  command.callback([&chosen] { chosen = work; });
}

}  // namespace loopglass::app
