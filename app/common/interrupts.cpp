#include "app/common/interrupts.h"

#include <atomic>
#include <chrono>
#include <csignal>

namespace loopglass::app {

namespace {

std::atomic<bool> is_interrupted = false;

void interrupt(int signal) {
  is_interrupted = true;
  std::signal(signal, SIG_DFL);
}

}  // namespace

Interrupts::Interrupts(Cancellation cancellation, bool also_terminate) {
  std::signal(SIGINT, interrupt);
  if (also_terminate) std::signal(SIGTERM, interrupt);
  watcher_ = std::jthread([cancellation = std::move(cancellation)](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      if (is_interrupted) cancellation.request();
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  });
}

}  // namespace loopglass::app
