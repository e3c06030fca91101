// Ctrl+C as a wish to end: the first asks for it, and what was done stays; once more ends the
// process.
#pragma once

#include "core/support/cancellation.h"

#include <thread>

namespace loopglass::app {

class Interrupts {
 public:
  // Also on SIGTERM, by which services are ended, where `also_terminate`.
  explicit Interrupts(Cancellation cancellation, bool also_terminate = false);

 private:
  std::jthread watcher_;
};

}  // namespace loopglass::app
