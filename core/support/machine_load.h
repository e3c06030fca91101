// What else a machine did while something was timed on it.
#pragma once

#include <chrono>
#include <optional>

namespace loopglass {

struct MachineLoad {
  // Processors that other processes kept busy, on average; what a host stole as well.
  double others = 0;
  int processors = 1;  // that are online
  friend bool operator==(const MachineLoad&, const MachineLoad&) = default;
};

// Whether others wanted processors that `threads` threads needed.
bool is_busy(const MachineLoad& load, int threads);

// From where it is made. What this process does is no load of others', nor what those do that it
// started, nor what one does that it works for: the window that its worker reports to.
class LoadMeter {
 public:
  explicit LoadMeter(std::optional<int> works_for = {});
  // Nothing where the system does not say, or where too little time has passed to tell.
  std::optional<MachineLoad> read() const;

 private:
  struct Times {
    double busy = 0, own = 0;  // seconds of processor time, of all processes and of these
  };
  std::optional<Times> times() const;

  std::optional<int> works_for_;  // a process
  std::chrono::steady_clock::time_point start_;
  std::optional<Times> first_;
};

}  // namespace loopglass
